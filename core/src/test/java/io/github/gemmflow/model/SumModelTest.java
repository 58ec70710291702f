// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.model.SumModel.Flaw;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No order of events of a summing step leads to a deadlock, or to a read of partial sums before
 * they are there or after their slot was used again.
 */
class SumModelTest {
  private static final boolean ALL = Cases.isSoak();

  enum Kind {
    SCATTERED,
    DIRECT,
    STAGED
  }

  private static Explorer explore(
      Hosts hosts, Kind kind, int tileRows, int slots, int threads, long[][] rows, Flaw flaw) {
    boolean scattered = kind == Kind.SCATTERED;
    Tuning tuning =
        Tuning.DEFAULT
            .withSums(kind == Kind.STAGED ? SumPath.STAGED : SumPath.DIRECT)
            .withStorage(Storage.STREAMED)
            .withChunkRows(tileRows)
            .withSlots(slots)
            .withInFlight(2);
    long most = 0;
    for (long[] step : rows) {
      most = Math.max(most, scattered ? Arrays.stream(step).sum() : step[0]);
    }
    SumPlan plan = SumPlan.of(new SumProblem(1, 4, scattered, most), hosts, tuning);
    Explorer explorer = new Explorer(new SumModel(plan, rows, threads, flaw));
    explorer.run();
    System.out.printf(
        "SumModelTest: %s, %s, tiles of %d rows, %d slots, %d threads, rows %s: %d states, %d ends%n",
        hosts,
        kind,
        tileRows,
        plan.slots(),
        threads,
        Arrays.deepToString(rows),
        explorer.states(),
        explorer.ends());
    return explorer;
  }

  /** Three ranks on two hosts, two slots, two steps, one crash; all rows for all ranks. */
  @Test
  void allReduceHolds() {
    long[][] rows = {{3, 3, 3}, {3, 3, 3}};
    if (ALL) {
      Arrays.fill(rows[0], 5);
    }
    int threads = ALL ? 2 : 1;
    Explorer explorer = explore(Hosts.of(0, 0, 1), Kind.DIRECT, 1, 2, threads, rows, Flaw.NONE);
    assertTrue(explorer.states() > (ALL ? 100_000 : 50_000), "it went nowhere");
  }

  /** Three ranks on two hosts, two slots, two steps, one crash; each rank its own rows. */
  @Test
  void reduceScatterHolds() {
    long[][] rows = {{1, 1, 2}, {1, ALL ? 3 : 2, 1}};
    int threads = ALL ? 2 : 1;
    Explorer explorer = explore(Hosts.of(0, 0, 1), Kind.SCATTERED, 1, 2, threads, rows, Flaw.NONE);
    assertTrue(explorer.states() > (ALL ? 90_000 : 30_000), "it went nowhere");
  }

  @ParameterizedTest
  @CsvSource({
    "0 1, DIRECT, 1, 1, 2", // two threads, one slot
    "0 1, SCATTERED, 1, 2, 2",
    "0 0, DIRECT, 1, 1, 2", // one host
    "0 1 0, SCATTERED, 2, 2, 1", // tiles across borders between blocks
    "0 1 2, SCATTERED, 1, 1, 1", // three hosts
    "0 1, STAGED, 2, 1, 2",
    "0 0 1, STAGED, 3, 1, 1", // one slot, and each rank has a piece of it
  })
  void itHoldsForOtherShapes(String placement, Kind kind, int tileRows, int slots, int threads) {
    int[] hosts = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
    long[][] rows = new long[2][hosts.length];
    Arrays.fill(rows[0], kind == Kind.SCATTERED ? 1 : 3);
    Arrays.fill(rows[1], kind == Kind.SCATTERED ? 1 : 2);
    explore(Hosts.of(hosts), kind, tileRows, slots, threads, rows, Flaw.NONE);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aFlawIsFound(Flaw flaw) {
    long[][] rows = {{3, 3, 3}, {3, 3, 3}};
    Violation found =
        assertThrows(
            Violation.class, () -> explore(Hosts.of(0, 0, 1), Kind.DIRECT, 1, 2, 1, rows, flaw));
    System.out.println("SumModelTest: " + flaw + ": " + found.getMessage());
    String expected =
        switch (flaw) {
          case PUBLISH_BEFORE_COMPUTED -> "partial sums of use";
          case REUSE_BEFORE_SENT -> "but the slot holds";
          case READ_BEFORE_ARRIVED -> "but there is nothing";
          default -> "deadlock";
        };
    assertTrue(found.toString().contains(expected), found::toString);
  }
}
