// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Behaviour of a thread that has nothing to do. None spins where that would take a core from one
 * that has work.
 */
public enum Idle {
  /** Spins for a millisecond before it sleeps: the lowest latency, at the price of a core. */
  SPIN(1_000_000),
  /** Spins for about as long as a wake-up takes, then sleeps. */
  BALANCED(5_000),
  /** Sleeps at once: leaves the cores to those who multiply. */
  SLEEP(0);

  private final long spinNanos;

  Idle(long spinNanos) {
    this.spinNanos = spinNanos;
  }

  /** How long it spins before it sleeps. */
  public long spinNanos() {
    return spinNanos;
  }
}
