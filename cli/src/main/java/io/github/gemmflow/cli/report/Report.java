// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One page that needs no other file and no network: figures, a timeline, and what draws them. */
public final class Report {
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
          "nothing to report: give a file written by 'gemmflow bench --json FILE', or with --trace one written by 'gemmflow bench --trace FILE'");
    }
    if (files.size() > 1 && trace != null) {
      throw new IllegalArgumentException(
          "--trace takes the figures of one benchmark, not of " + files.size());
    }
    return Page.of(
        "report",
        Map.of(
            "figures-data",
            read(files),
            "trace-data",
            trace == null ? "null" : TraceFile.read(trace)),
        List.of("views.js", "timeline.js", "scaling.js", "report.js"));
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
          "%s: no step of Gemmflow was recorded: its events are off unless a recording enables them, see docs/jfr.md"
              .formatted(recordings.getFirst()));
    }
    return activity.text();
  }
}
