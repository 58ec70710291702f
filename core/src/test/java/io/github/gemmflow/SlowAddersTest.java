// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A fast rank never overwrites partial sums that a slow one has not added up or sent yet, and tiles
 * that wait for room never wait for each other. Thousands of steps back to back, of two operators
 * that share their room and one that does not, with counts that change and ranks that stall at
 * random; many ranks get no rows, so that they run ahead.
 */
class SlowAddersTest {
  private static final int MAX_ROWS = 40;
  private static final int K = 3;
  private static final int N = 5;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          0,0,0,0,0;1
          0,0,0,0,0;2
          0,0,0,0,0;5
          0,0,0,1,1;1
          0,0,0,1,1;2
          0,0,0,1,1;5
          0,1,1,2,2;1
          0,1,0,2,1;2
          0,1,2,3,3;3
          """)
  void stepsBackToBack(String placement, int slots) {
    int steps = Integer.getInteger("gemmflow.steps", Cases.shortOrSoak(100, 400));
    int[] hosts = Arrays.stream(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    Tuning tuning = Tuning.DEFAULT.withStorage(Storage.STREAMED).withSlots(slots).withChunkRows(3);
    Config config =
        Config.builder()
            .kernel(new StallingKernel(SlowAddersTest::stallSometimes))
            .threads(1 + slots % 2)
            .build();
    LocalWorld.onHosts(hosts)
        .config(config)
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(hosts.length)))
        .run(world -> runSteps(world, tuning, steps));
  }

  private static void stallSometimes() {
    if (ThreadLocalRandom.current().nextInt(50) == 0) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
    }
  }

  private static void runSteps(World world, Tuning tuning, int steps) {
    int ranks = world.size();
    Draw draw = new Draw(ranks);
    try (Arena arena = Arena.ofShared();
        Workspace space =
            Workspace.on(world.group()).rows(MAX_ROWS).columns(K).tuning(tuning).open();
        var weights = world.pack(Exact.matrix(DType.F32, K, N, 7, arena), WeightLayout.IN_OUT);
        var first = MatmulReduceScatter.on(space).weights(weights).build();
        var second = MatmulReduceScatter.on(space).weights(weights).build();
        var forAll = MatmulAllReduce.on(space).weights(weights).build()) {
      for (int i = 0; i < steps; i++) {
        long[] rows = draw.rows(ranks, MAX_ROWS);
        if (draw.chance(0.5)) {
          int only = draw.below(ranks);
          for (int rank = 0; rank < ranks; rank++) {
            rows[rank] = rank == only ? rows[rank] : 0;
          }
        }
        long total = Arrays.stream(rows).sum();
        long before = Arrays.stream(rows, 0, world.rank()).sum();
        Matrix a = Exact.matrix(DType.F32, total, K, i, arena);
        Matrix c = Matrix.allocate(DType.F32, total, N, arena).fill(Float.NaN);
        if (draw.chance(0.3)) {
          forAll.run(a, c);
          check(c, 0, i, ranks);
        } else {
          Matrix mine = c.rows(before, before + rows[world.rank()]);
          (draw.chance(0.5) ? first : second).run(RowCounts.known(rows), a, mine);
          check(mine, before, i, ranks);
        }
      }
    }
  }

  /** All ranks have the same addend. */
  private static void check(Matrix c, long firstRow, long aSeed, int ranks) {
    for (long row = 0; row < c.rows(); row++) {
      for (long column = 0; column < N; column++) {
        int product = 0;
        for (int k = 0; k < K; k++) {
          product += Exact.value(aSeed, firstRow + row, k) * Exact.value(7, k, column);
        }
        if (c.get(row, column) != ranks * product) {
          throw new AssertionError(
              "step %d: sum[%d, %d] is %s, not %d"
                  .formatted(aSeed, firstRow + row, column, c.get(row, column), ranks * product));
        }
      }
    }
  }
}
