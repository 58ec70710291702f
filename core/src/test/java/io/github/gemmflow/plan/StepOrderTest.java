// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One step after the other, whatever is ready. */
class StepOrderTest {
  private static final long STEP = 7;

  @ParameterizedTest
  @CsvSource({
    // Headers that have left, header waits for rows, rows are there, it is late; may it leave?
    "7, false, false, false, true",
    "7, true,  false, false, false",
    "7, true,  true,  false, true",
    "7, true,  false, true,  true",
    // Not before that of the step before, however ready it is.
    "6, false, false, false, false",
    "6, true,  true,  true,  false",
    "5, true,  true,  true,  false",
    // Not twice.
    "8, false, true,  true,  false",
  })
  void headersLeaveInOrder(long left, boolean waits, boolean there, boolean late, boolean may) {
    assertEquals(may, StepOrder.mayLeave(STEP, left, waits, there, late));
  }

  @Test
  void headersArePublishedInOrder() {
    assertFalse(StepOrder.mayPublish(STEP, 6));
    assertTrue(StepOrder.mayPublish(STEP, 7));
    assertFalse(StepOrder.mayPublish(STEP, 8));
  }

  /** Rows of the next step start when all of this one have; those of this one may go on. */
  @Test
  void rowsStartInOrder() {
    assertFalse(StepOrder.mayStart(STEP, 5));
    assertFalse(StepOrder.mayStart(STEP, 6));
    assertTrue(StepOrder.mayStart(STEP, 7));
    assertTrue(StepOrder.mayStart(STEP, 8));
  }
}
