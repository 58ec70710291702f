// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a rank that run steps, as far as it matters: one, or several that take turns, such as
 * two halves of a batch. While there are several, one that waits leaves its core to the others.
 * Thread-safe.
 */
public final class Callers {
  /**
   * A program that ran steps in several threads is taken to do so for this long, in nanoseconds.
   */
  private static final long MEMORY_NANOS = 100_000_000;

  private final LongSupplier clock;
  private volatile @Nullable Thread last;
  private volatile long severalUntil;

  /**
   * Of a rank.
   *
   * @param clock the time in nanoseconds
   */
  public Callers(LongSupplier clock) {
    this.clock = clock;
    this.severalUntil = clock.getAsLong();
  }

  /** The calling thread runs a step. */
  public void note() {
    Thread caller = Thread.currentThread();
    Thread before = last;
    if (!caller.equals(before)) {
      last = caller;
      if (before != null) {
        severalUntil = clock.getAsLong() + MEMORY_NANOS;
      }
    }
  }

  /** Whether steps were run by more than one thread in the last moments. */
  public boolean areSeveral() {
    return severalUntil - clock.getAsLong() > 0;
  }
}
