// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The charts of a page as a picture, taken by a browser. */
public final class Screenshot {
  private static final int WIDTH = 1280;
  private static final int HEIGHT = 900;

  /** The page says it when it is there (page.js). */
  private static final Pattern DATA_HEIGHT = Pattern.compile("<html[^>]* data-height=\"([0-9]+)\"");

  private Screenshot() {}

  /**
   * Takes a picture as wide as a README and as high as it needs, in light colours.
   *
   * @param browser the name or path of a Chromium; null for one that is on the path
   * @throws IOException if there is no browser or it does not do it; says what to do
   */
  public static void take(Path page, Path png, @Nullable String browser) throws IOException {
    String address = page.toUri() + "#picture";
    try (Browser program = new Browser(Browser.find(browser))) {
      String shown = program.run(List.of(window(HEIGHT), "--dump-dom", address));
      Matcher height = DATA_HEIGHT.matcher(shown);
      if (!height.find()) {
        throw new IOException(
            "the browser %s did not show %s: name another one with --browser"
                .formatted(program.name(), page));
      }
      // What was there before is not taken for the picture.
      Files.deleteIfExists(png);
      String said =
          program.run(
              List.of(
                  window(Integer.parseInt(height.group(1))),
                  "--screenshot=" + png.toAbsolutePath(),
                  address));
      if (!Files.exists(png)) {
        throw new IOException(
            "the browser %s did not write %s: %s".formatted(program.name(), png, said.strip()));
      }
    }
  }

  private static String window(int height) {
    return "--window-size=%d,%d".formatted(WIDTH, height);
  }
}
