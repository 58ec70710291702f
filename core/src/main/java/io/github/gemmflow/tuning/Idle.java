// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Behaviour of a thread that has nothing to do. None spins where that would take a core from one
 * that has work.
 */
public enum Idle {
  /** Looks for ten milliseconds before it sleeps: the lowest latency, at the price of a core. */
  SPIN(10_000_000),
  /** Looks for a millisecond, in which short steps are over, then sleeps. */
  BALANCED(1_000_000),
  /** Sleeps at once: leaves the cores to those who multiply. */
  SLEEP(0);

  private final long spinNanos;

  Idle(long spinNanos) {
    this.spinNanos = spinNanos;
  }

  /** How long it looks before it sleeps, in nanoseconds, where there are cores for all. */
  public long spinNanos() {
    return spinNanos;
  }

  /** The same where so many threads of a host may look at a time, and share so many cores. */
  public long spinNanos(int threads, int cores) {
    return threads <= cores ? spinNanos : 0;
  }
}
