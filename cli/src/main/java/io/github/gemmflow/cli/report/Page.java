// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Page for a browser that needs no other file and no network. Its Content-Security-Policy names the
 * hashes of its scripts, so that the browser runs no others.
 */
public final class Page {
  private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z]+)}}");

  /** The artifact and its version, as Maven notes them in each jar. */
  private static final String ECHARTS_VERSION = "META-INF/maven/org.webjars/echarts/pom.properties";

  private Page() {}

  /**
   * Makes a page.
   *
   * @param name of the page; what is in its body is the file of that name
   * @param data what its scripts read, as JSON, by id
   * @param scripts of this package, in this order
   */
  public static String of(String name, Map<String, String> data, List<String> scripts)
      throws IOException {
    String echarts = echarts();
    StringJoiner code = new StringJoiner("\n");
    code.add(own("page.js"));
    for (String script : scripts) {
      code.add(own(script));
    }
    return fill(
        "page.html",
        Map.of(
            "hashes", hash(echarts) + " " + hash(code.toString()),
            "name", name,
            "style", own("report.css"),
            "body", own(name + ".html"),
            "data",
                new TreeMap<>(data).entrySet().stream().map(Page::script).collect(joining("\n")),
            "echarts", echarts,
            "scripts", code.toString()));
  }

  /** In JSON the sign can stand only within texts, where it would otherwise begin an HTML tag. */
  private static String script(Map.Entry<String, String> json) {
    return "<script type=\"application/json\" id=\"%s\">%s</script>"
        .formatted(json.getKey(), json.getValue().replace("<", "\\u003c"));
  }

  /** A script as a Content-Security-Policy names it. */
  private static String hash(String script) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(UTF_8));
      return "'sha256-%s'".formatted(Base64.getEncoder().encodeToString(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static String fill(String template, Map<String, String> parts) throws IOException {
    return PLACE
        .matcher(own(template))
        .replaceAll(
            place ->
                Matcher.quoteReplacement(
                    Objects.requireNonNull(parts.get(place.group(1)), place::group)));
  }

  /** A file of this package. */
  private static String own(String name) throws IOException {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      return text(in, name);
    }
  }

  /** What draws charts. */
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
    return Page.class.getClassLoader().getResourceAsStream(name);
  }

  private static String text(@Nullable InputStream in, String name) throws IOException {
    if (in == null) {
      throw new IOException(
          "%s is not on the class path: run it with all dependencies of gemmflow-cli"
              .formatted(name));
    }
    return new String(in.readAllBytes(), UTF_8);
  }
}
