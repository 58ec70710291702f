// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.model.SlotModel.Flaw;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No order of events leads to a deadlock, or to a read of a slot before its data or after reuse.
 */
class SlotModelTest {
  private static final int CHUNKS = 3;
  private static final int STEPS = 2;
  private static final boolean ALL = Cases.isSoak();

  /** What every rank has in the second step; with as many as in the first it takes minutes. */
  private static final int LATER_CHUNKS =
      Integer.getInteger("gemmflow.chunks", Cases.shortOrSoak(1, 2));

  private static Explorer explore(
      Hosts hosts, Schedule schedule, boolean columns, int slots, long[][] rows, Flaw flaw) {
    return explore(hosts, schedule, columns, slots, 1, rows, flaw);
  }

  private static Explorer explore(
      Hosts hosts,
      Schedule schedule,
      boolean columns,
      int slots,
      int slotChunks,
      long[][] rows,
      Flaw flaw) {
    Tuning tuning =
        Tuning.DEFAULT
            .withStorage(Storage.STREAMED)
            .withSchedule(schedule)
            .withChunkRows(1)
            .withSlots(slots)
            .withInFlight(2);
    int ranks = hosts.ranks();
    Capacity capacity =
        new Capacity((long) CHUNKS * ranks, ranks, false, slots, (long) slotChunks * ranks);
    GatherProblem problem =
        columns
            ? GatherProblem.alongColumns(Collections.nCopies(ranks, 1L), capacity)
            : GatherProblem.alongRows(ranks, capacity);
    GatherPlan plan = GatherPlan.of(problem, hosts, tuning);
    Explorer explorer = new Explorer(new SlotModel(plan, rows, flaw));
    explorer.run();
    System.out.printf(
        "SlotModelTest: %s, %s along %s, %d slots of %d chunks, rows %s: %d states, %d ends%n",
        hosts,
        schedule,
        columns ? "columns" : "rows",
        slots,
        slotChunks,
        Arrays.deepToString(rows),
        explorer.states(),
        explorer.ends());
    return explorer;
  }

  /** As many chunks of every rank, in the second step fewer. */
  private static long[][] evenRows(Hosts hosts) {
    long[][] rows = new long[STEPS][hosts.ranks()];
    Arrays.fill(rows[0], CHUNKS);
    Arrays.fill(rows[1], LATER_CHUNKS);
    return rows;
  }

  /** Three ranks on two hosts, three chunks each, two slots, two steps, one crash. */
  @Test
  void theProtocolHolds() {
    Hosts hosts = Hosts.of(0, 0, 1);
    long[][] rows = evenRows(hosts);
    if (!ALL) {
      rows[0][0]--;
      rows[0][1]--;
    }
    Explorer explorer = explore(hosts, Schedule.MESH, false, 2, rows, Flaw.NONE);
    assertTrue(explorer.states() > (ALL ? 1_000_000 : 10_000), "it went nowhere");
  }

  @ParameterizedTest
  @CsvSource({
    "0 0 1, mesh, false, 1",
    "0 0 1, mesh, true, 1",
    "0 1, two-way-ring, false, 1",
    "0 1, two-way-ring, true, 2",
  })
  void itHoldsForOtherShapes(String placement, String schedule, boolean columns, int slots) {
    int[] labels = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
    Hosts hosts = Hosts.of(labels);
    explore(hosts, Schedule.named(schedule), columns, slots, evenRows(hosts), Flaw.NONE);
  }

  /** A slot holds several chunks, of which the last one may have fewer. */
  @ParameterizedTest
  @CsvSource({"0 0 1, mesh, false", "0 1, two-way-ring, true", "0 1 2, ring, false"})
  void itHoldsIfChunksShareASlot(String placement, String schedule, boolean columns) {
    int[] labels = Arrays.stream(placement.split(" ")).mapToInt(Integer::parseInt).toArray();
    long[][] rows = {new long[labels.length], new long[labels.length]};
    Arrays.fill(rows[0], columns ? CHUNKS : 2);
    rows[0][0] = CHUNKS;
    Arrays.fill(rows[1], 1);
    Hosts hosts = Hosts.of(labels);
    explore(hosts, Schedule.named(schedule), columns, 1, 2, rows, Flaw.NONE);
  }

  @Test
  void itHoldsForEverySchedule() {
    Hosts hosts = Hosts.of(0, 1, 2);
    long[][] rows = {{CHUNKS, 2, 2}, {1, 1, 1}};
    for (Schedule schedule : Schedule.ALL) {
      // Two ways round a ring of three hosts are a mesh.
      if (!schedule.equals(Schedule.TWO_WAY_RING)) {
        explore(hosts, schedule, false, 1, rows, Flaw.NONE);
      }
    }
  }

  /** The rank that brings rows into a host may be another in every step. */
  @Test
  void itHoldsWhenRowCountsChange() {
    long[][] rows = {{1, 3, 2}, {3, 0, 3}, {0, 2, 1}};
    explore(Hosts.of(0, 1, 1), Schedule.MESH, false, 1, rows, Flaw.NONE);
    explore(Hosts.of(0, 1, 2), Schedule.RING, false, 1, rows, Flaw.NONE);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aFlawIsFound(Flaw flaw) {
    assertFound(flaw, 2, 1);
    assertFound(flaw, 1, 2);
  }

  private static void assertFound(Flaw flaw, int slots, int slotChunks) {
    Hosts hosts = Hosts.of(0, 0, 1);
    long[][] rows = evenRows(hosts);
    Violation found =
        assertThrows(
            Violation.class,
            () -> explore(hosts, Schedule.MESH, false, slots, slotChunks, rows, flaw));
    System.out.println("SlotModelTest: " + flaw + ": " + found.getMessage());
    String expected =
        switch (flaw) {
          case PUBLISH_BEFORE_DATA -> "but the slot holds nothing";
          case REUSE_BEFORE_CONSUMED -> "which is not read yet";
          default -> "deadlock";
        };
    assertTrue(found.toString().contains(expected), found::toString);
  }
}
