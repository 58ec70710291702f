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
 * @param threadStalls the share of calls, from 0 to 1, in which the calling thread loses its core:
 *     callers and other ranks go on, and what the thread has just looked at is out of date when it
 *     goes on itself
 * @param longestThreadStall how long that takes at most
 * @param stallAfter after how many transfers the engine stops for {@code stallFor}; negative for
 *     never
 * @param stallFor how long it stops
 */
public record Chaos(
    long seed,
    Duration longestDelay,
    double pauses,
    double threadStalls,
    Duration longestThreadStall,
    long stallAfter,
    Duration stallFor) {
  /** Longer than any test: a rank stalled for this long is lost. */
  private static final Duration FOREVER = Duration.ofDays(1);

  /** None. */
  public static Chaos none(long seed) {
    return new Chaos(seed, Duration.ZERO, 0, 0, Duration.ZERO, -1, Duration.ZERO);
  }

  /** Late and out-of-order completions, short pauses, and a thread that loses its core. */
  public static Chaos delays(long seed) {
    return none(seed)
        .delayedBy(Duration.ofNanos(300_000), 0.02)
        .threadStalls(0.001, Duration.ofMillis(3));
  }

  /** Completions are reported late, and polls do nothing for a while. */
  public Chaos delayedBy(Duration longest, double shareOfPauses) {
    return new Chaos(
        seed, longest, shareOfPauses, threadStalls, longestThreadStall, stallAfter, stallFor);
  }

  /** The calling thread loses its core in a share of all calls. */
  public Chaos threadStalls(double share, Duration longest) {
    return new Chaos(seed, longestDelay, pauses, share, longest, stallAfter, stallFor);
  }

  /** The engine stops for a time. */
  public Chaos stalledAfter(long transfers, Duration time) {
    return new Chaos(seed, longestDelay, pauses, threadStalls, longestThreadStall, transfers, time);
  }

  /** The engine stops for good. */
  public Chaos lostAfter(long transfers) {
    return stalledAfter(transfers, FOREVER);
  }
}
