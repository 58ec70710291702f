// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import java.io.IOException;
import java.util.List;

/**
 * Measurements of rivals one after the other. Every other round goes backwards, and who is first
 * turns: of each two rivals, each is measured before the other in half of the rounds.
 */
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
      int turn = rivalAt(i, round, nanos.length);
      Thread.sleep(PAUSE_MILLIS);
      nanos[turn] = rivals.get(turn).nanos();
    }
    return nanos;
  }

  /** The rival that is measured at a place of a round. */
  static int rivalAt(int place, int round, int rivals) {
    int at = round % 2 == 0 ? place : rivals - 1 - place;
    return (round / 2 + at) % rivals;
  }
}
