// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How long a lane waits for rows that come soon. */
class PatienceTest {
  private final Patience patience = new Patience();

  @Test
  void whatComesBeforeARunWouldBeDoneIsWaitedFor() {
    patience.reset();
    assertEquals(NextRun.Soon.ALL, patience.soon(1000, 500, () -> 499));
    assertEquals(NextRun.Soon.OF_THIS_HOST, patience.soon(1000, 500, () -> 501));
    assertEquals(NextRun.Soon.NOTHING, patience.soon(1000, 0, () -> 0));
  }

  @Test
  void nobodyWaitsLongerThanARunWouldTake() {
    patience.reset();
    patience.note(1000, false, true);
    assertEquals(400, patience.left(1100, 500));
    // It is the first time that counts.
    patience.note(1300, false, true);
    assertEquals(NextRun.Soon.ALL, patience.soon(1499, 500, () -> 0));
    assertEquals(NextRun.Soon.NOTHING, patience.soon(1500, 500, () -> 0));
  }

  @Test
  void whoWorksMayWaitAgain() {
    patience.reset();
    patience.note(1000, false, true);
    patience.note(1200, true, false);
    assertEquals(500, patience.left(9000, 500));
  }

  @Test
  void whoLeavesNothingAloneDoesNotWait() {
    patience.reset();
    patience.note(1000, false, false);
    assertEquals(500, patience.left(9000, 500));
  }
}
