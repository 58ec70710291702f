// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.KernelCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a plan chooses by rule, and the reasons it gives. */
class RulesTest {
  private static final Hosts TWO_HOSTS = Hosts.of(0, 0, 1, 1);

  private static GatherPlan plan(long rowBytes, long maxRows, Hosts hosts, Tuning tuning) {
    return plan(rowBytes, maxRows, hosts, tuning, tuning);
  }

  private static GatherPlan plan(
      long rowBytes, long maxRows, Hosts hosts, Tuning room, Tuning tuning) {
    Capacity capacity = Capacity.of(maxRows, rowBytes, room);
    return GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), hosts, tuning);
  }

  private static void assertStorage(Storage storage, String reason, GatherPlan plan) {
    assertEquals(storage, plan.storage());
    String expected = "storage %s: %s".formatted(storage, reason);
    assertTrue(plan.explain().toString().contains(expected), plan.explain()::toString);
  }

  @Test
  void rowsAreGatheredUnlessThereIsNoRoom() {
    String reason = "streamed rows take longer, and less memory";
    Tuning rule = Tuning.DEFAULT;
    assertStorage(Storage.GATHERED, reason, plan(512, 1_000_000, Hosts.single(4), rule));
    assertStorage(Storage.GATHERED, reason, plan(512, 100_000, TWO_HOSTS, rule));
  }

  @Test
  void theGatheredRowsCanBeAskedFor() {
    Capacity whole = Capacity.of(100_000, 512, Tuning.DEFAULT);
    GatherProblem keeping = GatherProblem.alongRows(512, whole).keepingGathered();
    assertStorage(
        Storage.GATHERED,
        "keepGathered() needs it",
        GatherPlan.of(keeping, TWO_HOSTS, Tuning.DEFAULT));
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED);
    assertThrows(IllegalArgumentException.class, () -> GatherPlan.of(keeping, TWO_HOSTS, streamed));
    Capacity part = Capacity.of(100_000, 512, streamed);
    GatherProblem withoutRoom = GatherProblem.alongRows(512, part).keepingGathered();
    String message =
        String.valueOf(
            assertThrows(
                    IllegalArgumentException.class,
                    () -> GatherPlan.of(withoutRoom, TWO_HOSTS, Tuning.DEFAULT))
                .getMessage());
    assertTrue(message.contains("never contiguous"), message);
  }

  @Test
  void aPathCanBeForcedEitherWayIfThereIsRoom() {
    Tuning rule = Tuning.DEFAULT;
    Tuning gathered = rule.withStorage(Storage.GATHERED);
    Tuning streamed = rule.withStorage(Storage.STREAMED);
    assertStorage(Storage.GATHERED, "asked for", plan(512, 100_000, TWO_HOSTS, rule, gathered));
    assertStorage(
        Storage.GATHERED,
        "streamed rows take longer, and less memory",
        plan(512, 100_000, TWO_HOSTS, gathered, rule));
    assertStorage(Storage.STREAMED, "asked for", plan(8192, 5, Hosts.single(3), streamed));
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
    assertSchedule(Schedule.MESH, "one host sends no rows", 1, 100_000);
    assertSchedule(Schedule.MESH, "all schedules are the same between 2 hosts", 2, 100_000);
    assertSchedule(
        Schedule.MESH, "predicted 382 ms for 100000 rows, two-way-ring 384 ms", 8, 100_000);
    assertSchedule(
        Schedule.TWO_WAY_RING,
        "predicted 390 ms for 100000 rows, mesh 388 ms; each of 9 hosts sends to 2 others instead of 8",
        9,
        100_000);
    // Few rows wait for every hop.
    assertSchedule(
        Schedule.MESH, "predicted 4.50 ms for 1008 rows, two-way-ring 6.30 ms", 9, 9 * 112);
    GatherPlan ring = plan(512, 100, Hosts.of(0, 1, 2), Tuning.DEFAULT.withSchedule(Schedule.RING));
    assertTrue(
        ring.explain().toString().contains("schedule ring: asked for"), ring.explain()::toString);
  }

  private static void assertSchedule(Schedule schedule, String reason, int count, long maxRows) {
    Hosts hosts = Hosts.of(IntStream.range(0, count).toArray());
    GatherPlan plan = plan(512, maxRows, hosts, Tuning.DEFAULT);
    assertEquals(schedule, plan.schedule());
    String expected = "schedule %s: %s".formatted(schedule, reason);
    assertTrue(plan.explain().toString().contains(expected), plan.explain()::toString);
  }

  @Test
  void streamedChunksAreMessagesAndFillSlots() {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED);
    Capacity capacity = Capacity.of(1_000_000, 4096, streamed);
    assertEquals(256 * 4096, capacity.slotBytes());
    for (long rowBytes : new long[] {0, 1, 1000, 4096}) {
      GatherLayout step =
          GatherPlan.of(GatherProblem.alongRows(rowBytes, capacity), TWO_HOSTS, streamed).step();
      step.lay(new long[] {200_000, 100, 0, 777_000});
      for (int route = 0; route < step.routes(); route++) {
        for (long chunk = 0; chunk < step.chunks(route); chunk++) {
          long rows = step.chunkBegin(route, chunk + 1) - step.chunkBegin(route, chunk);
          assertTrue(rows * rowBytes <= Chunking.SLOW_BYTES);
        }
        int band = step.band(route);
        for (long slot = 0; slot < step.bandSlots(band); slot++) {
          long rows = step.slotBegin(band, slot + 1) - step.slotBegin(band, slot);
          assertTrue(rows * rowBytes <= capacity.slotBytes());
          assertTrue(rows > 200 || slot == step.bandSlots(band) - 1, rows + " rows in a slot");
        }
      }
    }
    Tuning onFastCores = streamed.withCosts(costs(150));
    assertEquals(512 * 4096, Capacity.of(1_000_000, 4096, onFastCores).slotBytes());
    Tuning onSlowCores = streamed.withCosts(costs(10));
    assertEquals(128 * 4096, Capacity.of(1_000_000, 4096, onSlowCores).slotBytes());
    Tuning small = streamed.withChunkRows(3);
    assertEquals(3 * 4096, Capacity.of(1_000_000, 4096, small).slotBytes());
    assertEquals(1, Capacity.of(0, 4096, streamed).slotBytes() / 4096);
  }

  /** Weights that come from memory at 9 GB/s, and so many operations a nanosecond. */
  private static CostModel costs(double perNano) {
    Map<Long, Double> byRows = new TreeMap<>();
    for (long rows = 1; rows <= 1024; rows *= 2) {
      byRows.put(rows, 1e6 * (4 / 9.0 + 2 * rows / perNano));
    }
    CostModel other = CostModel.ASSUMED;
    Map<String, KernelCosts> kernels = Map.of("F32", new KernelCosts(Map.of(1_000_000L, byRows)));
    return new CostModel("", "", 1, 1, other.link(), other.host(), kernels);
  }

  @Test
  void streamedRowsAreNeverAllThere() {
    Tuning tuning = Tuning.DEFAULT.withStorage(Storage.STREAMED).withOverlap(Overlap.SEQUENTIAL);
    GatherProblem problem = GatherProblem.alongRows(512, Capacity.of(1000, 512, tuning));
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> GatherPlan.of(problem, TWO_HOSTS, tuning));
    assertEquals(
        "streamed rows cannot all arrive before work begins: choose overlap pipelined, or gathered storage",
        e.getMessage());
  }

  /** What was tried for real is chosen, for as many rows, and unless something is asked for. */
  @Test
  void whatWasTriedGoesBeforeWhatIsPredicted() {
    Hosts hosts = Hosts.of(0, 1, 2, 3);
    TriedStep.Way ring = new TriedStep.Way("ring", 8192, 2e6);
    TriedStep step = new TriedStep(ring, new TriedStep.Way("mesh", 57_344, 3e6));
    CostModel costs = CostModel.ASSUMED.withTried(TriedStep.key("gather", 512, 1000, 4, 4), step);
    Tuning tuned = Tuning.DEFAULT.withCosts(costs);
    String reason =
        "tried by gemmflow tune: ring with 8192 bytes 2.00 ms, then mesh with 57344 bytes 3.00 ms";
    GatherPlan plan = plan(512, 900, hosts, tuned);
    assertEquals(Schedule.RING, plan.schedule());
    assertEquals(16, plan.chunkRows(225));
    String text = plan.explain().toString();
    assertTrue(text.contains("schedule ring: " + reason), text);
    assertTrue(text.contains("chunks of up to 16 rows, 8 in flight per route: " + reason), text);
    assertEquals(Schedule.MESH, plan(512, 100, hosts, tuned).schedule());
    assertEquals(Schedule.MESH, plan(256, 900, hosts, tuned).schedule());
    assertEquals(
        112, plan(512, 900, hosts, tuned.withChunkBytes(57_344).withChunkRows(112)).chunkRows(225));
    assertEquals(
        Schedule.MESH, plan(512, 900, hosts, tuned.withSchedule(Schedule.MESH)).schedule());
  }

  @Test
  void sumsGoTheWayThatWasTried() {
    Hosts hosts = Hosts.of(0, 1, 2, 3);
    SumProblem problem = new SumProblem(128, 512, false, 1000);
    TriedStep.Way staged = new TriedStep.Way("staged", 8192, 2e6);
    TriedStep.Way direct = new TriedStep.Way("direct", 57_344, 3e6);
    String key = TriedStep.key("all-reduce", 512, 1000, 4, 4);
    assertEquals(SumPath.STAGED, path(problem, hosts, key, new TriedStep(staged, direct), 1000));
    assertEquals(SumPath.DIRECT, path(problem, hosts, key, new TriedStep(staged, direct), 1));
    assertEquals(SumPath.DIRECT, path(problem, hosts, key, new TriedStep(direct, staged), 1000));
  }

  private static SumPath path(
      SumProblem problem, Hosts hosts, String key, TriedStep step, long rows) {
    CostModel costs = CostModel.ASSUMED.withTried(key, step);
    SumPlan plan = SumPlan.of(problem, hosts, Tuning.DEFAULT.withCosts(costs));
    String text = plan.explain().toString();
    assertTrue(text.contains(step.reason()), text);
    return plan.path(rows);
  }

  /** With another link another schedule is the best: the costs decide, not the number of hosts. */
  @Test
  void theScheduleFollowsTheCosts() {
    Hosts hosts = Hosts.of(IntStream.range(0, 16).toArray());
    LinkCosts slowToAnswer = LinkCosts.of(20e6, 100e9);
    Tuning far = Tuning.DEFAULT.withCosts(Tuning.DEFAULT.costs().withLink(slowToAnswer));
    assertEquals(Schedule.TWO_WAY_RING, plan(512, 100_000, hosts, Tuning.DEFAULT).schedule());
    assertEquals(Schedule.MESH, plan(512, 100_000, hosts, far).schedule());
  }

  @Test
  void aPlanExplainsItself() {
    Capacity capacity = Capacity.of(100_000, 512, Tuning.DEFAULT);
    GatherProblem problem = GatherProblem.alongColumns(List.of(128L, 0L, 256L, 128L), capacity);
    assertEquals(
        """
        gather up to 100000 rows of 512 bytes along columns from 4 ranks on 2 hosts [[0, 1], [2, 3]]
        schedule mesh: all schedules are the same between 2 hosts
        storage gathered: streamed rows take longer, and less memory
        overlap pipelined: rows are multiplied as they arrive, unless the rest arrives sooner than one more run would cost, as measured in earlier steps
        chunks of up to 448 rows, 8 in flight per route: as many as fit a message of 57344 bytes, for a link of 0.940 Gbit/s
        """,
        GatherPlan.of(problem, TWO_HOSTS, Tuning.DEFAULT).explain().toString());
  }
}
