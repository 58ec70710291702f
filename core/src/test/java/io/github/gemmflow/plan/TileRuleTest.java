// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.KernelCosts;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TileRuleTest {
  private static final Hosts TWO_HOSTS = Hosts.of(0, 1);

  /** Costs of a kernel that takes as long to read the weights as to multiply so many rows. */
  private static CostModel costs(double weightRows) {
    Map<Long, Double> byRows = new TreeMap<>();
    for (long rows = 1; rows <= 1024; rows *= 2) {
      byRows.put(rows, weightRows + rows);
    }
    return new CostModel(
        "made up",
        "",
        1,
        1,
        CostModel.ASSUMED.link(),
        CostModel.ASSUMED.host(),
        Map.of("F32", new KernelCosts(Map.of(1L << 24, byRows))));
  }

  private static long rows(boolean scattered, long maxRows, Hosts hosts, CostModel costs) {
    return TileRule.rows(new SumProblem(2048, 8192, scattered, maxRows), hosts, costs).value();
  }

  @Test
  void smallerStepsHaveSmallerTiles() {
    assertEquals(64, rows(false, 256, TWO_HOSTS, costs(10)));
    assertEquals(128, rows(false, 2048, TWO_HOSTS, costs(10)));
    assertEquals(256, rows(false, 4096, TWO_HOSTS, costs(10)));
    assertEquals(512, rows(false, 1_000_000, TWO_HOSTS, costs(10)));
  }

  @Test
  void tilesAreTallWhereProductsOfFewRowsAreSlow() {
    assertEquals(128, rows(false, 128, TWO_HOSTS, costs(200)));
    assertEquals(512, rows(false, 4096, TWO_HOSTS, costs(200)));
  }

  @Test
  void aFewRowsAreNoTileOfTheirOwn() {
    assertEquals(80, rows(false, 80, TWO_HOSTS, costs(64)));
  }

  /** While they travel, a host computes its own. */
  @Test
  void rowsOfWhichEachHostGetsSomeAreNotCutForTheLast() {
    assertEquals(256, rows(true, 256, TWO_HOSTS, costs(10)));
    assertEquals(512, rows(true, 2048, TWO_HOSTS, costs(10)));
  }

  @Test
  void noTileHasMoreRowsThanAStep() {
    assertEquals(1, rows(false, 0, TWO_HOSTS, costs(10)));
    assertEquals(3, rows(true, 3, TWO_HOSTS, costs(10)));
  }

  @Test
  void onOneHostTheyAreTall() {
    assertEquals(2048, rows(true, 4096, Hosts.single(2), costs(10)));
  }
}
