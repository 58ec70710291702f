// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The times at which the machine runs nothing of this process: a rank that is well then misses its
 * deadline as one that is lost does.
 */
public final class Pauses {
  /** A test with deadlines; throws if it fails. */
  @FunctionalInterface
  public interface Trial {
    void run() throws Exception;
  }

  private static final int MOST = 5;
  private static final long TICK_NANOS = 5_000_000;
  private static final long PAUSE_NANOS = 200_000_000;

  private static final AtomicLong LONGEST = new AtomicLong();

  static {
    Thread.ofPlatform().daemon().name("pauses").start(Pauses::watch);
  }

  private Pauses() {}

  /** Runs a trial; again, at most four times, if it failed while the machine stood still. */
  public static void retry(Trial trial) throws Exception {
    for (int i = 1; ; i++) {
      LONGEST.set(0);
      try {
        trial.run();
        return;
      } catch (Exception | AssertionError e) {
        long pause = LONGEST.get();
        if (pause < PAUSE_NANOS || i == MOST) {
          throw e;
        }
        System.out.printf(
            "Pauses: again, because the machine stood still for %d ms: %s%n", pause / 1_000_000, e);
      }
    }
  }

  private static void watch() {
    long before = System.nanoTime();
    while (true) {
      LockSupport.parkNanos(TICK_NANOS);
      long now = System.nanoTime();
      LONGEST.accumulateAndGet(now - before, Math::max);
      before = now;
    }
  }
}
