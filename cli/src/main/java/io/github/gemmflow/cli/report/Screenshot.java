// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The charts of a report as a picture, taken by a browser. */
public final class Screenshot {
  private static final int WIDTH = 1280;
  private static final int HEIGHT = 900;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Screenshot() {}

  /**
   * Takes a picture as wide as a README and as high as it needs, in light colours.
   *
   * @param browser the name or path of a Chromium; null for one that is on the path
   * @throws IOException if there is no browser or it does not do it; says what to do
   */
  public static void take(Path report, Path png, @Nullable String browser) throws IOException {
    try (Chromium chromium = Chromium.start(Chromium.find(browser), PATIENCE)) {
      DevTools page = chromium.devTools();
      page.call(
          "Emulation.setDeviceMetricsOverride",
          Map.of("width", WIDTH, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
      Map<String, String> light = Map.of("name", "prefers-color-scheme", "value", "light");
      page.call("Emulation.setEmulatedMedia", Map.of("features", List.of(light)));
      page.open(URI.create(report.toUri() + "#picture"));
      Files.write(png, capture(page, WIDTH));
    }
  }

  /** All of a page, as high as it is. */
  static byte[] capture(DevTools page, int width) throws IOException {
    Object height = page.evaluate("document.querySelector('main').offsetHeight");
    Map<String, Object> clip = new LinkedHashMap<>(Map.of("x", 0, "y", 0, "width", width));
    clip.put("height", Objects.requireNonNull(height));
    clip.put("scale", 1);
    Map<String, Object> reply =
        page.call("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
    return Base64.getDecoder().decode(String.valueOf(reply.get("data")));
  }
}
