// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.trace.Recording;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A real gather in which rows arrive, and work ends, in the order of a simulated one: its lanes
 * make the same decisions.
 */
class ReplayTest {
  private static final int COLUMNS = 1024;
  private static final long ROW_BYTES = (long) COLUMNS * Float.BYTES;

  private static Replay replay(GatherLayout layout, SimulatedStep step) {
    Replay replay = new Replay();
    for (int rank = 0; rank < step.spans().size(); rank++) {
      for (Span span : step.spans().get(rank)) {
        if (span.kind() == Span.Kind.ARRIVAL) {
          replay.arrive(span.begin(), rank, routeOf(layout, span.firstRow()));
        }
      }
    }
    return replay;
  }

  private static int routeOf(GatherLayout layout, long row) {
    return IntStream.range(0, layout.routes())
        .filter(route -> layout.begin(route) <= row && row < layout.end(route))
        .findFirst()
        .orElseThrow();
  }

  private static void runRank(World world, Tuning room, Tuning tuning, long[] rows, Gates gates) {
    try (Workspace space =
            Workspace.on(world.group())
                .rows(LongStream.of(rows).sum())
                .columns(COLUMNS)
                .tuning(room)
                .open();
        AllGather gather = AllGather.on(space).columns(COLUMNS).tuning(tuning).build();
        Recording recording = space.record();
        Step step = gather.begin(RowCounts.known(rows))) {
      gates.watch(world.rank(), recording.timeline());
      step.run((first, end, part, thread) -> gates.work(world.rank()));
    }
  }

  @Test
  void theSameOrderOfEventsMakesTheSameDecisions() {
    int[] decisions = new int[1];
    Cases.run(ReplayTest.class, 20, seed -> decisions[0] += replay(seed));
    System.out.printf("ReplayTest: %d decisions%n", decisions[0]);
  }

  private static int replay(long seed) {
    Draw draw = new Draw(seed);
    int ranks = 2 + draw.below(3);
    Hosts hosts = Hosts.of(IntStream.range(0, ranks).toArray());
    // Enough that nothing travels with headers.
    long[] rows = LongStream.generate(() -> 18 + draw.below(60)).limit(ranks).toArray();
    int chunkRows = 1 + draw.below(9);
    Tuning tuning =
        Tuning.DEFAULT
            .withSchedule(draw.oneOf(Schedule.ALL))
            .withStorage(draw.oneOf(List.of(Storage.values())))
            .withSlots(1 + draw.below(3))
            .withChunkRows(chunkRows);
    // Up to three chunks share a slot of streamed rows.
    Tuning room = tuning.withChunkRows((1L + draw.below(3)) * chunkRows);
    Capacity capacity = Capacity.of(LongStream.of(rows).sum(), ROW_BYTES, room);
    GatherLayout layout =
        GatherPlan.of(GatherProblem.alongRows(ROW_BYTES, capacity), hosts, tuning).step();
    layout.lay(rows);
    SimulatedStep simulated = simulate(layout, seed);

    Gates gates = new Gates(ranks, layout.routes(), (source, tag) -> tag);
    return replay(layout, simulated)
        .run(
            simulated,
            gates,
            () ->
                LocalWorld.onHosts(IntStream.range(0, ranks).toArray())
                    .decorate(gates::around)
                    .run(world -> runRank(world, room, tuning, rows, gates)));
  }

  /** Arrivals and work take times at random, and nothing else takes any. */
  private static SimulatedStep simulate(GatherLayout layout, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RowCosts work =
        new RowCosts() {
          @Override
          public double nanos(int rank, long rows) {
            return 1e5 + random.nextInt(3_000_000);
          }

          @Override
          public long worthwhileRows() {
            return 1;
          }

          @Override
          public double runNanos(int rank) {
            return 0;
          }
        };
    return Simulator.gather(layout, work, Replay.conditions(0.1e9, seed), true);
  }
}
