// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.window.Counters;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class SlotRingTest {
  private static final int SLOTS = 3;
  private static final int FIRST_COUNTER = 5;

  private final SlotRing ring =
      new SlotRing(
          new Counters(Arena.ofAuto().allocate(Counters.bytes(8)), 0), FIRST_COUNTER, 2, SLOTS);

  @Test
  void usesTakeSlotsInTurn() {
    assertEquals(0, ring.slot(0));
    assertEquals(2, ring.slot(5));
  }

  @Test
  void aSlotIsFreeWhenTheSlowestReaderHasPassedIt() {
    assertTrue(ring.isFree(2));
    assertFalse(ring.isFree(3));
    assertTrue(ring.pass(0, 0, 2));
    assertFalse(ring.isFree(3), "reader 1 still reads use 0");
    assertEquals(1, ring.slowReader());
    assertTrue(ring.pass(1, 0, 1));
    assertTrue(ring.isFree(3));
    assertFalse(ring.isFree(4));
    assertEquals(4, ring.filledUpTo());
  }

  @Test
  void whatIsPassedAlreadyIsNoNews() {
    assertTrue(ring.pass(0, 0, 2));
    assertFalse(ring.pass(0, 0, 2));
    assertFalse(ring.pass(0, 0, 1), "a counter never goes back");
    assertEquals(2, ring.passed(0));
  }

  /** The uses from 2 on belong to a later step, whose first ones must not be skipped. */
  @Test
  void aReaderPassesAStepOnlyAfterTheOneBefore() {
    assertFalse(ring.pass(0, 2, 4));
    assertEquals(0, ring.passed(0));
    assertTrue(ring.pass(0, 0, 2));
    assertTrue(ring.pass(0, 2, 4));
    assertEquals(4, ring.passed(0));
  }
}
