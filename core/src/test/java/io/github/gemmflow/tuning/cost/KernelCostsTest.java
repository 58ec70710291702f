// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Times of products between and beyond those that were measured. */
class KernelCostsTest {
  private static final KernelCosts COSTS =
      new KernelCosts(
          Map.of(
              10_000L, Map.of(1L, 100.0, 100L, 1000.0),
              1_000_000L, Map.of(1L, 20_000.0, 100L, 100_000.0)));

  @Test
  void whatWasMeasuredIsKept() {
    assertEquals(100, COSTS.nanos(1, 100, 100), 1e-6);
    assertEquals(100_000, COSTS.nanos(100, 1000, 1000), 1e-6);
  }

  @Test
  void whatLiesBetweenIsInterpolatedByRatios() {
    assertEquals(Math.sqrt(100.0 * 1000), COSTS.nanos(10, 100, 100), 1e-6);
    // Of 100,000 elements, each costs the geometric mean of 0.01 and 0.02.
    assertEquals(100_000 * Math.sqrt(0.01 * 0.02), COSTS.nanos(1, 100, 1000), 1e-6);
  }

  @Test
  void whatLiesBeyondCostsAsMuchForEachElement() {
    assertEquals(10_000, COSTS.nanos(1000, 100, 100), 1e-6);
    assertEquals(200_000, COSTS.nanos(1, 1000, 10_000), 1e-6);
    assertEquals(25, COSTS.nanos(1, 50, 50), 1e-6);
    assertEquals(0, COSTS.nanos(0, 1000, 1000));
    assertEquals(0, COSTS.nanos(7, 1000, 0));
  }

  @Test
  void moreIsNeverFaster() {
    for (long rows = 1; rows < 2000; rows += 7) {
      for (long side = 1; side < 3000; side += 97) {
        double nanos = COSTS.nanos(rows, side, side);
        assertTrue(nanos <= COSTS.nanos(rows + 1, side, side) * (1 + 1e-12));
        assertTrue(nanos <= COSTS.nanos(rows, side + 1, side) * (1 + 1e-12));
      }
    }
  }
}
