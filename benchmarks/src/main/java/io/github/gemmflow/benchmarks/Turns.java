// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import java.io.IOException;
import java.util.List;

/** Measurements of rivals one after the other; who is first turns from round to round. */
final class Turns {
  /** The spinning threads of whoever was measured before fall asleep in this time. */
  private static final long PAUSE_MILLIS = 5;

  /** Lets a rival do something. */
  @FunctionalInterface
  interface Measurement {
    /** Returns how long it took. */
    long nanos() throws IOException;
  }

  private Turns() {}

  /**
   * Measures all once.
   *
   * @param round the number of the round
   * @return nanoseconds, in the order of the list
   */
  static long[] take(int round, List<Measurement> rivals) throws IOException, InterruptedException {
    long[] nanos = new long[rivals.size()];
    for (int i = 0; i < nanos.length; i++) {
      int turn = (round + i) % nanos.length;
      Thread.sleep(PAUSE_MILLIS);
      nanos[turn] = rivals.get(turn).nanos();
    }
    return nanos;
  }
}
