// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a plan chooses by rule, and the reasons it gives. */
class RulesTest {
  private static final Domains TWO_HOSTS = Domains.of(0, 0, 1, 1);

  private static GatherPlan plan(long rowBytes, long maxRows, Domains domains, Tuning tuning) {
    return plan(rowBytes, maxRows, domains, tuning, tuning);
  }

  private static GatherPlan plan(
      long rowBytes, long maxRows, Domains domains, Tuning room, Tuning tuning) {
    Capacity capacity = Capacity.of(maxRows, rowBytes, domains, room);
    return GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), domains, tuning);
  }

  private static void assertStorage(Storage storage, String reason, GatherPlan plan) {
    assertEquals(storage, plan.storage());
    String expected = "storage %s: %s".formatted(storage, reason);
    assertTrue(plan.explain().toString().contains(expected), plan.explain()::toString);
  }

  @Test
  void rowsAreGatheredWhereStreamingGainsNothing() {
    Tuning rule = Tuning.DEFAULT;
    assertStorage(
        Storage.GATHERED,
        "on one host rows are read where they were written",
        plan(512, 1_000_000, Domains.single(4), rule));
    assertStorage(
        Storage.GATHERED,
        "two steps of 2048 rows fit the cache budget of 2097152 bytes as they are",
        plan(512, 2048, TWO_HOSTS, rule));
    assertStorage(
        Storage.GATHERED,
        "2 slots of 1048576 bytes for each of 4 routes exceed the cache budget of 2097152 bytes",
        plan(8192, 1_000_000, TWO_HOSTS, rule));
  }

  @Test
  void rowsAreStreamedIfWhatIsInFlightFitsTheCache() {
    GatherPlan plan = plan(512, 2049, TWO_HOSTS, Tuning.DEFAULT);
    assertStorage(
        Storage.STREAMED,
        "2 slots of 65536 bytes for each of 4 routes fit the cache budget of 2097152 bytes",
        plan);
    // Just enough, and one byte too few.
    Tuning tight = Tuning.DEFAULT.withCacheBytes(4 * 2 * 65536);
    assertEquals(Storage.STREAMED, plan(512, 100_000, TWO_HOSTS, tight).storage());
    Tuning tighter = tight.withCacheBytes(tight.cacheBytes() - 1);
    assertEquals(Storage.GATHERED, plan(512, 100_000, TWO_HOSTS, tighter).storage());
    // Two parts of each shard need twice as many slots.
    Tuning twoWay = tight.withSchedule(Schedule.TWO_WAY_RING);
    assertStorage(
        Storage.GATHERED,
        "2 slots of 65536 bytes for each of 8 routes exceed the cache budget of 524288 bytes",
        plan(512, 100_000, TWO_HOSTS, twoWay));
  }

  @Test
  void theGatheredRowsCanBeAskedFor() {
    Capacity both = Capacity.of(100_000, 512, TWO_HOSTS, Tuning.DEFAULT);
    GatherProblem keeping = GatherProblem.alongRows(512, both).keepingGathered();
    assertStorage(
        Storage.GATHERED,
        "the gathered A is asked for",
        GatherPlan.of(keeping, TWO_HOSTS, Tuning.DEFAULT));
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED);
    assertThrows(IllegalArgumentException.class, () -> GatherPlan.of(keeping, TWO_HOSTS, streamed));
  }

  @Test
  void aPathCanBeForcedEitherWayIfThereIsRoom() {
    Tuning rule = Tuning.DEFAULT;
    Tuning gathered = rule.withStorage(Storage.GATHERED);
    Tuning streamed = rule.withStorage(Storage.STREAMED);
    assertStorage(Storage.GATHERED, "asked for", plan(512, 100_000, TWO_HOSTS, rule, gathered));
    assertStorage(
        Storage.GATHERED,
        "the workspace was opened without slots",
        plan(512, 100_000, TWO_HOSTS, gathered, rule));
    assertStorage(Storage.STREAMED, "asked for", plan(8192, 5, Domains.single(3), streamed));
    assertStorage(
        Storage.STREAMED,
        "the workspace has no room for a whole step",
        plan(8192, 5, TWO_HOSTS, streamed, rule));
    assertThrows(
        IllegalArgumentException.class, () -> plan(512, 100_000, TWO_HOSTS, streamed, gathered));
    assertThrows(
        IllegalArgumentException.class, () -> plan(512, 100_000, TWO_HOSTS, gathered, streamed));
  }

  @Test
  void theScheduleFollowsTheHosts() {
    assertSchedule(Schedule.MESH, "nothing travels on one host", 1, 100_000);
    assertSchedule(Schedule.MESH, "between 2 hosts there is only one way", 2, 100_000);
    assertSchedule(Schedule.MESH, "up to 8 hosts, rows take the shortest way, one hop", 8, 100_000);
    assertSchedule(
        Schedule.TWO_WAY_RING,
        "above 8 hosts, each one sends to 2 others instead of 8",
        9,
        100_000);
    assertSchedule(
        Schedule.MESH,
        "a rank's rows are one chunk even in the largest step, which every hop would delay",
        9,
        9 * 112);
    GatherPlan ring =
        plan(512, 100, Domains.of(0, 1, 2), Tuning.DEFAULT.withSchedule(Schedule.RING));
    assertTrue(
        ring.explain().toString().contains("schedule ring: asked for"), ring.explain()::toString);
  }

  private static void assertSchedule(Schedule schedule, String reason, int hosts, long maxRows) {
    Domains domains = Domains.of(IntStream.range(0, hosts).toArray());
    GatherPlan plan = plan(512, maxRows, domains, Tuning.DEFAULT);
    assertEquals(schedule, plan.schedule());
    String expected = "schedule %s: %s".formatted(schedule, reason);
    assertTrue(plan.explain().toString().contains(expected), plan.explain()::toString);
  }

  @Test
  void streamedChunksFillASlotAndNoMore() {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED);
    Capacity capacity = Capacity.of(1_000_000, 4096, TWO_HOSTS, streamed);
    assertEquals(128 * 4096, capacity.slotBytes());
    for (long rowBytes : new long[] {0, 1, 1000, 4096}) {
      GatherLayout step =
          GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), TWO_HOSTS, streamed).step();
      step.lay(new long[] {200_000, 100, 0, 777_000});
      for (int route = 0; route < step.routes(); route++) {
        for (long chunk = 0; chunk < step.chunks(route); chunk++) {
          long rows = step.chunkBegin(route, chunk + 1) - step.chunkBegin(route, chunk);
          assertTrue(rows * rowBytes <= capacity.slotBytes());
        }
      }
    }
    Tuning small = streamed.withChunkRows(3);
    assertEquals(3 * 4096, Capacity.of(1_000_000, 4096, TWO_HOSTS, small).slotBytes());
    assertEquals(1, Capacity.of(0, 4096, TWO_HOSTS, streamed).slotBytes() / 4096);
  }

  @Test
  void streamedRowsAreNeverAllThere() {
    Tuning tuning = Tuning.DEFAULT.withStorage(Storage.STREAMED).withOverlap(Overlap.SEQUENTIAL);
    GatherProblem problem = GatherProblem.alongRows(512, Capacity.of(1000, 512, TWO_HOSTS, tuning));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> GatherPlan.of(problem, TWO_HOSTS, tuning));
    assertEquals(
        "rows that are streamed cannot all be there before work begins: choose the overlap pipelined, or the storage gathered",
        e.getMessage());
  }

  @Test
  void withoutOverlapTheRuleGathers() {
    Capacity capacity = Capacity.of(100_000, 512, TWO_HOSTS, Tuning.DEFAULT);
    GatherProblem problem = GatherProblem.alongRows(512, capacity);
    assertEquals(Storage.STREAMED, GatherPlan.of(problem, TWO_HOSTS, Tuning.DEFAULT).storage());
    Tuning sequential = Tuning.DEFAULT.withOverlap(Overlap.SEQUENTIAL);
    assertEquals(Storage.GATHERED, GatherPlan.of(problem, TWO_HOSTS, sequential).storage());
  }

  @Test
  void aPlanExplainsItself() {
    Capacity capacity = Capacity.of(100_000, 512, TWO_HOSTS, Tuning.DEFAULT);
    GatherProblem problem = GatherProblem.alongColumns(List.of(128L, 0L, 256L, 128L), capacity);
    assertEquals(
        """
        gather up to 100000 rows of 512 bytes along columns from 4 ranks on 2 hosts [[0, 1], [2, 3]]
        schedule mesh: between 2 hosts there is only one way
        storage streamed: 2 slots of 65536 bytes for each of 1 routes fit the cache budget of 2097152 bytes
        overlap pipelined: rows that are there are multiplied while others are on their way
        chunks of up to 128 rows, 8 in flight per route: no more than fit one of the workspace's 2 slots per route
        """,
        GatherPlan.of(problem, TWO_HOSTS, Tuning.DEFAULT).explain().toString());
  }
}
