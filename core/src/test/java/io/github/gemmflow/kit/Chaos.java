// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import java.time.Duration;

/**
 * Disturbances that a {@link ChaosEngine} causes on a rank.
 *
 * @param seed where all its random choices come from
 * @param longestDelay the most by which a completion is reported late; completions overtake one
 *     another
 * @param pauses the share of polls, from 0 to 1, at which the engine does nothing for a while
 * @param stallAfter after how many transfers the engine stops for {@code stallFor}; negative for
 *     never
 * @param stallFor how long it stops
 */
public record Chaos(
    long seed, Duration longestDelay, double pauses, long stallAfter, Duration stallFor) {
  /** Longer than any test: a rank stalled for this long is lost. */
  private static final Duration FOREVER = Duration.ofDays(1);

  /** Late and out-of-order completions and short pauses. */
  public static Chaos delays(long seed) {
    return new Chaos(seed, Duration.ofNanos(300_000), 0.02, -1, Duration.ZERO);
  }

  /** The engine stops for a time. */
  public Chaos stalledAfter(long transfers, Duration time) {
    return new Chaos(seed, longestDelay, pauses, transfers, time);
  }

  /** The engine stops for good. */
  public Chaos lostAfter(long transfers) {
    return stalledAfter(transfers, FOREVER);
  }
}
