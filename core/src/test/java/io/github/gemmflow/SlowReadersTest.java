// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fast rank never overwrites what a slow one still reads. Thousands of steps back to back, with
 * new rows and new counts each, no barrier, and ranks that stall at random between seeing rows and
 * reading them. Many ranks have no rows, so that others need not wait for them and run ahead.
 */
class SlowReadersTest {
  private static final int MAX_ROWS = 40;
  private static final int K = 6;
  private static final int N = 3;

  @ParameterizedTest
  @ValueSource(strings = {"0,0,0,0,0", "0,0,0,1,1"})
  void gatheredRows(String placement) {
    run(
        placement,
        Tuning.DEFAULT.withStorage(Storage.GATHERED),
        steps(Cases.shortOrSoak(500, 1_000)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          0,0,0,0,0;1
          0,0,0,0,0;2
          0,0,0,0,0;3
          0,0,0,0,0;5
          0,0,0,1,1;1
          0,0,0,1,1;2
          0,0,0,1,1;3
          0,0,0,1,1;5
          0,1,1,2,2;1
          0,1,1,2,2;2
          0,1,1,2,2;3
          0,1,1,2,2;5
          0,1,2,3,3;1
          0,1,2,3,3;2
          0,1,2,3,3;3
          0,1,2,3,3;5
          """)
  void streamedRows(String placement, int slots) {
    run(
        placement,
        Tuning.DEFAULT.withStorage(Storage.STREAMED).withSlots(slots).withChunkRows(4),
        steps(Cases.shortOrSoak(100, 300)));
  }

  private static int steps(int otherwise) {
    return Integer.getInteger("gemmflow.steps", otherwise);
  }

  private static void run(String placement, Tuning room, int otherwise) {
    int steps = Integer.getInteger("gemmflow.steps", otherwise);
    int[] hosts = Arrays.stream(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    Config config =
        Config.builder()
            .kernel(new StallingKernel(SlowReadersTest::stallSometimes))
            .threads(1 + room.slots() % 2)
            .build();
    LocalWorld.onHosts(hosts)
        .config(config)
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(hosts.length)))
        .run(world -> runSteps(world, room, steps));
  }

  private static void stallSometimes() {
    if (ThreadLocalRandom.current().nextInt(50) == 0) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
    }
  }

  private static void runSteps(World world, Tuning room, int steps) {
    int ranks = world.size();
    Draw draw = new Draw(ranks);
    try (Arena arena = Arena.ofShared();
        Workspace space =
            Workspace.on(world.group()).rows(MAX_ROWS).columns(K).tuning(room).open()) {
      Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
      Matrix c = Matrix.allocate(DType.F32, MAX_ROWS, N, arena);
      List<Way> ways = new ArrayList<>();
      List<AllGatherMatmul> operators = new ArrayList<>();
      try (var weights = world.pack(b, WeightLayout.IN_OUT)) {
        for (int i = 0; i < 2 * Schedule.ALL.size(); i++) {
          Tuning tuning =
              room.withSchedule(Schedule.ALL.get(i % Schedule.ALL.size()))
                  .withChunkRows(1 + 3L * i);
          ways.add(Way.draw(draw, ranks, K, tuning));
          operators.add(ways.get(i).on(AllGatherMatmul.on(space).output(weights)).build());
        }
      }
      for (int i = 0; i < steps; i++) {
        long[] rows = draw.rows(ranks, MAX_ROWS);
        if (draw.chance(0.5)) {
          int only = draw.below(ranks);
          for (int rank = 0; rank < ranks; rank++) {
            rows[rank] = rank == only ? rows[rank] : 0;
          }
        }
        int chosen = draw.below(operators.size());
        Way way = ways.get(chosen);
        try (Step step = way.begin(operators.get(chosen), rows)) {
          way.fill(step, i, world.rank());
          Matrix target = c.fill(Float.NaN).rows(0, step.rows());
          step.run(target);
          Exact.checkProduct(target, i, 7, K);
        }
      }
      operators.forEach(AllGatherMatmul::close);
    }
  }
}
