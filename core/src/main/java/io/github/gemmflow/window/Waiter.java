// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import io.github.gemmflow.window.linux.Futex;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One thread's way of waiting on its process's bell. Not thread-safe: each thread has its own. */
public final class Waiter {
  private final Bell bell;
  private final LongSupplier spinNanos;
  private final Runnable whileSpinning;
  private final Runnable beforeSleep;
  private final Runnable afterSleep;
  private final MemorySegment scratch = Futex.newTimespec();
  private long sleeps;

  /**
   * For a thread.
   *
   * @param spinNanos how long it spins before it sleeps
   */
  public Waiter(Bell bell, long spinNanos) {
    this(bell, () -> spinNanos, Thread::onSpinWait, () -> {}, () -> {});
  }

  /**
   * For a thread that does something for others while it waits.
   *
   * @param spinNanos how long it spins before it sleeps; asked whenever it waits
   * @param whileSpinning called again and again while it spins
   * @param beforeSleep called when it has announced itself as a sleeper
   * @param afterSleep called when it has slept
   */
  public Waiter(
      Bell bell,
      LongSupplier spinNanos,
      Runnable whileSpinning,
      Runnable beforeSleep,
      Runnable afterSleep) {
    this.bell = bell;
    this.spinNanos = spinNanos;
    this.whileSpinning = whileSpinning;
    this.beforeSleep = beforeSleep;
    this.afterSleep = afterSleep;
  }

  /**
   * Waits for a condition that someone publishes and rings the bell for. Looking at it may have
   * effects: once it was true, it is not looked at again.
   *
   * @param nanos how long at most
   * @return whether the condition holds now
   */
  public boolean await(BooleanSupplier condition, long nanos) {
    long start = System.nanoTime();
    if (condition.getAsBoolean()) {
      return true;
    }
    long spin = Math.min(spinNanos.getAsLong(), nanos);
    while (true) {
      long waited = System.nanoTime() - start;
      if (waited >= nanos) {
        return false;
      }
      if (waited < spin) {
        whileSpinning.run();
      } else if (sleepUnless(condition, nanos - waited)) {
        return true;
      }
      if (condition.getAsBoolean()) {
        return true;
      }
    }
  }

  /** Sleeps once, unless the condition holds now; returns whether it does. */
  private boolean sleepUnless(BooleanSupplier condition, long nanos) {
    int ticket = bell.enter();
    try {
      if (condition.getAsBoolean()) {
        return true;
      }
      sleeps++;
      beforeSleep.run();
      try {
        bell.sleep(ticket, nanos, scratch);
      } finally {
        afterSleep.run();
      }
      return false;
    } finally {
      bell.leave();
    }
  }

  /**
   * Lets the calling thread wake when the time that it waits at most is over, and not some 50 us
   * later, as systems do to save power: for a thread that waits many times for less.
   */
  public static void wakeOnTime() {
    Sleeping.best().wakeOnTime();
  }

  /** How many times the thread went to sleep. */
  public long sleeps() {
    return sleeps;
  }
}
