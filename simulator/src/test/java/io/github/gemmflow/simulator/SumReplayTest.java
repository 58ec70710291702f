// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.MatmulAllReduce;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.MatmulSumBuilder;
import io.github.gemmflow.Operator;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.trace.Recording;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * A real sum in which partial sums arrive, and products end, in the order of a simulated one: its
 * lanes make the same decisions. Each rank has a host of its own, since nobody can hold up ranks
 * that add up what others of their host have.
 */
class SumReplayTest {
  private static final int COLUMNS = 1024;
  private static final long ROW_BYTES = (long) COLUMNS * Float.BYTES;

  /** Enough, for each rank, that nothing travels with headers. */
  private static final int FEWEST_ROWS = 12;

  @Test
  void theSameOrderOfEventsMakesTheSameDecisions() {
    int[] decisions = new int[1];
    Cases.run(SumReplayTest.class, 20, seed -> decisions[0] += replay(seed));
    System.out.printf("SumReplayTest: %d decisions%n", decisions[0]);
  }

  private static int replay(long seed) {
    Draw draw = new Draw(seed);
    int ranks = 2 + draw.below(3);
    boolean scattered = draw.chance(0.4);
    long[] rows = LongStream.generate(() -> FEWEST_ROWS + draw.below(40)).limit(ranks).toArray();
    long total = LongStream.of(rows).sum();
    Tuning tuning = tuning(draw);
    Hosts hosts = Hosts.of(IntStream.range(0, ranks).toArray());
    SumProblem problem = new SumProblem(COLUMNS, ROW_BYTES, scattered, total);
    SumLayout layout = SumPlan.of(problem, hosts, tuning).step();
    layout.lay(scattered ? rows : LongStream.generate(() -> total).limit(ranks).toArray());

    Replay replay = new Replay();
    SimulatedStep simulated = simulate(layout, seed, replay);
    Gates gates = new Gates(ranks, layout.routes(), (source, tag) -> layout.route(source, tag));
    return replay.run(
        simulated,
        gates,
        () ->
            LocalWorld.onHosts(IntStream.range(0, ranks).toArray())
                .config(rank -> config(rank, gates))
                .decorate(gates::around)
                .run(world -> runRank(world, tuning, scattered, rows, gates)));
  }

  private static Tuning tuning(Draw draw) {
    Tuning any =
        Tuning.DEFAULT
            .withSums(draw.oneOf(List.of(SumPath.values())))
            .withInFlight(Tuning.MOST_IN_FLIGHT);
    Tuning cut = draw.chance(0.7) ? any.withChunkRows(1 + draw.below(14)) : any;
    if (draw.chance(0.5)) {
      return cut.withStorage(Storage.STREAMED).withSlots(1 + draw.below(3));
    }
    return cut.withStorage(Storage.GATHERED).withOverlap(draw.oneOf(List.of(Overlap.values())));
  }

  private static Config config(int rank, Gates gates) {
    return Config.builder().threads(1).kernel(new StallingKernel(() -> gates.work(rank))).build();
  }

  /** Each element of A is the number of its row, so that of a sum is that times the ranks. */
  private static void runRank(
      World world, Tuning tuning, boolean scattered, long[] rows, Gates gates) {
    int rank = world.rank();
    long total = LongStream.of(rows).sum();
    long first = scattered ? LongStream.of(rows).limit(rank).sum() : 0;
    try (Workspace space =
            Workspace.on(world.group()).rows(total).columns(1).tuning(tuning).open();
        Arena arena = Arena.ofConfined();
        PackedWeights ones =
            world.pack(Matrix.allocate(DType.F32, 1, COLUMNS, arena).fill(1), WeightLayout.IN_OUT);
        Operator sum =
            build(scattered ? MatmulReduceScatter.on(space) : MatmulAllReduce.on(space), ones);
        Recording recording = space.record()) {
      gates.watch(rank, recording.timeline());
      Matrix a = Matrix.allocate(DType.F32, total, 1, arena);
      for (long row = 0; row < total; row++) {
        a.set(row, 0, (float) row);
      }
      Matrix c = Matrix.allocate(DType.F32, scattered ? rows[rank] : total, COLUMNS, arena);
      RowCounts counts = scattered ? RowCounts.known(rows) : RowCounts.equal(world.size(), total);
      sum.run(counts, a, c);
      for (long row = 0; row < c.rows(); row++) {
        assertEquals((float) (first + row) * world.size(), c.get(row, COLUMNS - 1));
      }
    }
  }

  private static Operator build(MatmulSumBuilder<? extends Operator> builder, PackedWeights ones) {
    return builder.weights(ones).build();
  }

  /** Arrivals and products take times at random, and nothing else takes any. */
  private static SimulatedStep simulate(SumLayout layout, long seed, Replay replay) {
    Conditions conditions = Replay.conditions(1e18, seed);
    SplittableRandom random = new SplittableRandom(seed);
    Network network = new Network(layout.plan().hosts().count(), conditions);
    return new SumSimulation(
        layout, (rank, rows) -> 1e5 + random.nextInt(3_000_000), conditions, network, true) {
      @Override
      void news(int rank, int route) {
        replay.arrive(queue().now(), rank, route);
      }
    }.run();
  }
}
