// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

/**
 * How long the comm thread sleeps between two polls of an engine that cannot wake it: about half
 * the time that it has learned to expect between completions. Not thread-safe.
 */
final class Naps {
  private static final long SHORTEST = 20_000;
  private static final long LONGEST = 1_000_000;
  private static final int MEMORY = 8;

  private long expected = SHORTEST;
  private long last = System.nanoTime();

  /** Something was completed. */
  void completed() {
    long now = System.nanoTime();
    // What is learned while nothing was under way says nothing about what is.
    expected += (Math.min(now - last, LONGEST) - expected) / MEMORY;
    last = now;
  }

  /** How long to sleep now, in nanoseconds; longer the longer nothing happens. */
  long next() {
    long quiet = System.nanoTime() - last;
    return Math.clamp(Math.max(expected, quiet / MEMORY) / 2, SHORTEST, LONGEST);
  }
}
