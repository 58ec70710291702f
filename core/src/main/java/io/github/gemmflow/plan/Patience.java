// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.function.DoubleSupplier;

/**
 * Decision of a compute lane whether to wait for rows that come soon. A run that could grow is left
 * alone for as long as another run would cost: what is waited for may come later than expected.
 *
 * <p>Holds the state of one step on one rank; not thread-safe. Who uses it says what time it is.
 */
public final class Patience {
  private boolean waiting;
  private long since;

  /** Starts a step: nobody waits. */
  public void reset() {
    waiting = false;
  }

  /**
   * How long it may still wait, in nanoseconds; nothing if not above 0.
   *
   * @param runNanos what one more run would cost, or less where nobody may wait that long
   */
  public long left(long now, long runNanos) {
    return waiting ? runNanos - (now - since) : runNanos;
  }

  /**
   * Which rows are worth waiting for.
   *
   * @param arrivalNanos how long all that is to come may take; not asked if nobody may wait
   */
  public NextRun.Soon soon(long now, long runNanos, DoubleSupplier arrivalNanos) {
    if (left(now, runNanos) <= 0) {
      return NextRun.Soon.NOTHING;
    }
    return arrivalNanos.getAsDouble() <= runNanos ? NextRun.Soon.ALL : NextRun.Soon.OF_THIS_HOST;
  }

  /** Notes what {@link NextRun#choose} did: whether it took a run, or left one alone. */
  public void note(long now, boolean chosen, boolean leftAlone) {
    if (chosen) {
      waiting = false;
    } else if (leftAlone && !waiting) {
      waiting = true;
      since = now;
    }
  }
}
