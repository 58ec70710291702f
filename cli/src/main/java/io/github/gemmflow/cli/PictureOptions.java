// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.report.Screenshot;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for a picture of a page. */
final class PictureOptions {
  @Option(
      names = "--png",
      paramLabel = "FILE",
      description = "file for a picture of the charts; needs Chromium or Chrome")
  private @Nullable Path png;

  @Option(
      names = "--browser",
      paramLabel = "PROGRAM",
      description = "browser that draws the picture (default: found on the PATH)")
  private @Nullable String browser;

  /** Where the picture goes; null if none is wanted. */
  @Nullable Path file() {
    return png;
  }

  /** Draws a page, if that is wanted. */
  void draw(Path page) throws IOException {
    if (png != null) {
      Screenshot.take(page, png, browser);
    }
  }
}
