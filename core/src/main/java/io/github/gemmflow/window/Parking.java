// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.util.function.BooleanSupplier;

/**
 * Parking of a thread until something is so, whatever interrupts. A thread that was interrupted
 * does not park: a loop around {@link java.util.concurrent.locks.LockSupport#park} would take a
 * core until it is over.
 */
public final class Parking {
  private Parking() {}

  /**
   * Parks again and again until something is so. The thread is interrupted afterwards if it was
   * before or in between.
   *
   * @param park parks the thread, which may return at any time
   */
  public static void until(BooleanSupplier over, Runnable park) {
    boolean interrupted = false;
    try {
      while (!over.getAsBoolean()) {
        park.run();
        // Not put back before the end: that would keep the next call from parking.
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
