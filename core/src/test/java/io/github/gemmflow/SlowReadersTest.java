// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.engine.Chaos;
import io.github.gemmflow.engine.ChaosEngine;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.Tuning;
import java.lang.foreign.Arena;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fast rank never overwrites what a slow one still reads. Thousands of steps back to back, with
 * new rows and new counts each, no barrier, and ranks that stall at random between seeing rows and
 * reading them. Many ranks have no rows, so that others need not wait for them and run ahead.
 */
class SlowReadersTest {
  private static final int STEPS = 10_000;
  private static final int MAX_ROWS = 40;
  private static final int K = 6;
  private static final int N = 3;

  @ParameterizedTest
  @ValueSource(strings = {"0,0,0,0,0", "0,0,0,1,1"})
  void tenThousandSteps(String placement) {
    int[] hosts =
        java.util.Arrays.stream(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    Config config =
        Config.builder().kernel(new StallingKernel(SlowReadersTest::stallSometimes)).build();
    LocalWorld.onHosts(hosts)
        .config(config)
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(hosts.length)))
        .run(world -> runSteps(world, hosts.length));
  }

  private static void stallSometimes() {
    if (ThreadLocalRandom.current().nextInt(50) == 0) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
    }
  }

  private static void runSteps(World world, int ranks) {
    Draw draw = new Draw(ranks);
    try (Arena arena = Arena.ofShared();
        Workspace space = world.group().workspace(MAX_ROWS, K, DType.F32)) {
      Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
      Matrix c = Matrix.allocate(DType.F32, MAX_ROWS, N, arena);
      AllGatherMatmul[] operators = new AllGatherMatmul[Schedule.ALL.size()];
      try (var weights = world.pack(b, WeightLayout.IN_OUT)) {
        for (int i = 0; i < operators.length; i++) {
          Tuning tuning =
              Tuning.DEFAULT.withSchedule(Schedule.ALL.get(i)).withChunkRows(1 + 3L * i);
          operators[i] = AllGatherMatmul.on(space).weights(weights).tuning(tuning).build();
        }
      }
      for (int i = 0; i < STEPS; i++) {
        long[] rows = draw.rows(ranks, MAX_ROWS);
        if (draw.chance(0.5)) {
          int only = draw.below(ranks);
          for (int rank = 0; rank < ranks; rank++) {
            rows[rank] = rank == only ? rows[rank] : 0;
          }
        }
        AllGatherMatmul operator = operators[draw.below(operators.length)];
        try (Step step = operator.begin(rows)) {
          Exact.fill(step.input(), i, step.firstRow());
          Matrix target = c.fill(Float.NaN).rows(0, step.rows());
          step.run(target);
          Exact.checkProduct(target, i, 7, K);
        }
      }
      for (AllGatherMatmul operator : operators) {
        operator.close();
      }
    }
  }
}
