// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Page for a browser that needs no other file and no network. */
public final class Page {
  private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z]+)}}");

  /** The artifact and its version, as Maven notes them in each jar. */
  private static final String ECHARTS_VERSION = "META-INF/maven/org.webjars/echarts/pom.properties";

  private Page() {}

  /** Puts parts into the places of a template of this package. */
  public static String fill(String template, Map<String, String> parts) throws IOException {
    return PLACE
        .matcher(own(template))
        .replaceAll(
            place ->
                Matcher.quoteReplacement(
                    Objects.requireNonNull(parts.get(place.group(1)), place::group)));
  }

  /** In JSON this can stand only within texts, where it would otherwise begin an HTML tag. */
  public static String inScript(String json) {
    return json.replace("<", "\\u003c");
  }

  /** A file of this package. */
  public static String own(String name) throws IOException {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      return text(in, name);
    }
  }

  /** What draws charts. */
  public static String echarts() throws IOException {
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
          "%s is not on the class path: run it with all that gemmflow-cli depends on"
              .formatted(name));
    }
    return new String(in.readAllBytes(), UTF_8);
  }
}
