// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.util.function.LongSupplier;

/**
 * Sleep of the communication thread between two polls of an engine that cannot wake it: half the
 * time that it has learned to expect for all that is under way, during which the network has work
 * to do. Not thread-safe.
 */
final class PollBackoff {
  static final long SHORTEST = 20_000;

  private static final long LONGEST = 2_000_000;
  private static final int MEMORY = 8;

  private final LongSupplier clock;
  private long expected = SHORTEST;
  private long last;

  /** Reads the time, in nanoseconds, from a clock. */
  PollBackoff(LongSupplier clock) {
    this.clock = clock;
    this.last = clock.getAsLong();
  }

  /**
   * Some things were completed.
   *
   * @param count how many
   */
  void completed(int count) {
    long now = clock.getAsLong();
    // What is learned while nothing was under way says nothing about what is.
    expected += (Math.min(now - last, LONGEST) / count - expected) / MEMORY;
    last = now;
  }

  /**
   * How long to sleep now, in nanoseconds; longer the longer nothing happens.
   *
   * @param underWay how many things are under way
   */
  long next(int underWay) {
    long quiet = clock.getAsLong() - last;
    long next = Math.max(Math.max(1, underWay - 1) * expected, quiet / MEMORY);
    return Math.clamp(next / 2, SHORTEST, LONGEST);
  }
}
