// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollBackoffTest {
  private static final long SHORTEST = 20_000;
  private static final long LONGEST = 2_000_000;

  private long now = 1_000_000_000;
  private final PollBackoff backoff = new PollBackoff(() -> now);

  @Test
  void itSleepsShortlyAtFirst() {
    assertEquals(SHORTEST, backoff.next(1));
  }

  @Test
  void itSleepsHalfOfWhatItHasLearnedToExpect() {
    for (int i = 0; i < 200; i++) {
      now += 800_000;
      backoff.completed(1);
    }
    assertTrue(Math.abs(backoff.next(2) - 400_000) < 10_000);
    assertTrue(Math.abs(backoff.next(3) - 800_000) < 20_000);
  }

  @Test
  void itNeverSleepsForLong() {
    for (int i = 0; i < 200; i++) {
      now += 500_000_000;
      backoff.completed(1);
    }
    assertEquals(LONGEST, backoff.next(100));
  }

  @Test
  void itSleepsLongerTheLongerNothingHappens() {
    backoff.completed(1);
    now += 1_600_000;
    long soon = backoff.next(1);
    now += 8_000_000;
    assertTrue(backoff.next(1) > soon);
  }
}
