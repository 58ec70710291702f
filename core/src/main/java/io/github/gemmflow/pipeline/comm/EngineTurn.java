// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Turn to call an engine, which one thread has at a time. Thread-safe, except {@link #heldFor}. */
final class EngineTurn {
  /**
   * What passes at most between two looks of the thread that waits for the turn, in nanoseconds. If
   * it is more, the process was stopped (SIGSTOP, a debugger, a migration), and so was the thread
   * that has the turn.
   */
  static final long LONGEST_LOOK = 10_000_000_000L;

  private static final long FREE = 0;

  private final LongSupplier clock;

  /** Since when a thread has it: a time that is never {@link #FREE}. */
  private final AtomicLong since = new AtomicLong(FREE);

  // What the thread that waits for it has seen.
  private long watched = FREE;
  private long watchedFor;
  private long lastLook;

  /**
   * Turn that nobody has.
   *
   * @param clock the time in nanoseconds
   */
  EngineTurn(LongSupplier clock) {
    this.clock = clock;
  }

  /** Takes the turn, unless another thread has it; returns whether this one has it now. */
  boolean tryTake() {
    return since.get() == FREE && since.compareAndSet(FREE, clock.getAsLong() | 1);
  }

  void giveBack() {
    since.set(FREE);
  }

  /**
   * For how long a thread has had it while this process ran, as far as the caller has seen, in
   * nanoseconds. Called again and again by one thread, while it waits for the turn.
   */
  long heldFor() {
    long holder = since.get();
    long now = clock.getAsLong();
    if (holder == FREE || holder != watched) {
      watched = holder;
      watchedFor = 0;
    } else {
      watchedFor += Math.min(now - lastLook, LONGEST_LOOK);
    }
    lastLook = now;
    return watchedFor;
  }
}
