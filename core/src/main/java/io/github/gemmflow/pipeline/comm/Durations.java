// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.time.Duration;

/** Durations as text for messages. */
public final class Durations {
  private Durations() {}

  /** A duration in seconds, such as "0.5 s" or "300 s". */
  public static String describe(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : "%.1f s".formatted(duration.toMillis() / 1e3);
  }
}
