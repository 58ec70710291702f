// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One page that needs no other file and no network: figures, a timeline, and what draws them. */
public final class Report {
  private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z]+)}}");

  /** The artifact and its version, as Maven notes them in each jar. */
  private static final String ECHARTS_VERSION = "META-INF/maven/org.webjars/echarts/pom.properties";

  private Report() {}

  /**
   * Makes a page of what a benchmark wrote.
   *
   * @param figures files, or directories of them, that {@code gemmflow bench --json} wrote. One is
   *     shown in all detail, of several how they differ
   * @param trace what {@code gemmflow bench --trace} wrote; null for none
   * @return HTML
   * @throws IllegalArgumentException if a file has something else in it; says what and what to do
   */
  public static String write(List<Path> figures, @Nullable Path trace) throws IOException {
    List<Path> files = files(figures);
    if (files.isEmpty() && trace == null) {
      throw new IllegalArgumentException(
          "there is nothing to report: give what 'gemmflow bench --json FILE' wrote, or with --trace what 'gemmflow bench --trace FILE' wrote");
    }
    if (files.size() > 1 && trace != null) {
      throw new IllegalArgumentException(
          "--trace goes with the figures of one benchmark, not of " + files.size());
    }
    Map<String, String> parts =
        Map.of(
            "figures", inScript(read(files)),
            "trace", inScript(trace == null ? "null" : TraceFile.read(trace)),
            "style", own("report.css"),
            "echarts", echarts(),
            "views", own("views.js"),
            "timeline", own("timeline.js"),
            "scaling", own("scaling.js"),
            "report", own("report.js"));
    return PLACE
        .matcher(own("report.html"))
        .replaceAll(
            place ->
                Matcher.quoteReplacement(
                    Objects.requireNonNull(parts.get(place.group(1)), place::group)));
  }

  private static List<Path> files(List<Path> given) throws IOException {
    List<Path> files = new ArrayList<>();
    for (Path path : given) {
      if (Files.isDirectory(path)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path, "*.json")) {
          List<Path> sorted = new ArrayList<>();
          found.forEach(sorted::add);
          sorted.sort(null);
          files.addAll(sorted);
        }
      } else {
        files.add(path);
      }
    }
    return files;
  }

  private static String read(List<Path> files) throws IOException {
    return switch (files.size()) {
      case 0 -> "null";
      case 1 -> FiguresFile.read(files.getFirst());
      default -> FiguresFile.readAll(files);
    };
  }

  /**
   * Says how ranks spent their time.
   *
   * @param trace what {@code gemmflow bench --trace} wrote; null for none
   * @param recordings flight recordings of one job, of each process one
   * @return a table for a person
   * @throws IllegalArgumentException if a file has something else in it; says what and what to do
   */
  public static String text(@Nullable Path trace, List<Path> recordings) throws IOException {
    if ((trace == null) == recordings.isEmpty()) {
      throw new IllegalArgumentException(
          "--text takes either --trace FILE, or one or more --recording FILE");
    }
    if (trace != null) {
      return TraceFile.activity(trace).text();
    }
    Activity activity = new Activity();
    for (Path recording : recordings) {
      FlightRecording.read(recording, activity);
    }
    if (activity.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: no step of Gemmflow was recorded: its events are off unless a recording asks for them, see docs/jfr.md"
              .formatted(recordings.getFirst()));
    }
    return activity.text();
  }

  /** In JSON this can stand only within texts, where it would otherwise begin an HTML tag. */
  private static String inScript(String json) {
    return json.replace("<", "\\u003c");
  }

  private static String own(String name) throws IOException {
    try (InputStream in = Report.class.getResourceAsStream(name)) {
      return text(in, name);
    }
  }

  private static String echarts() throws IOException {
    Properties artifact = new Properties();
    try (InputStream in = foreign(ECHARTS_VERSION)) {
      artifact.load(new StringReader(text(in, ECHARTS_VERSION)));
    }
    String version = artifact.getProperty("version");
    String name = "META-INF/resources/webjars/echarts/%s/echarts.min.js".formatted(version);
    try (InputStream in = foreign(name)) {
      return text(in, name);
    }
  }

  private static @Nullable InputStream foreign(String name) {
    return Report.class.getClassLoader().getResourceAsStream(name);
  }

  private static String text(@Nullable InputStream in, String name) throws IOException {
    if (in == null) {
      throw new IOException(
          "%s is not on the class path: run it with all that gemmflow-cli depends on"
              .formatted(name));
    }
    return new String(in.readAllBytes(), UTF_8);
  }
}
