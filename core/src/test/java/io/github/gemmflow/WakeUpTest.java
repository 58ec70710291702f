// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A rank that waits is told of everything that comes in. One that is not told finds it when it
 * looks again, a tenth of a second later.
 */
class WakeUpTest {
  private static final int[] HOSTS = {0, 0, 1, 1, 2, 2};
  private static final int STEPS = 31;

  /** Of several chunks, most come by themselves and not with a header. */
  private static final int ROWS = 300;

  private static final int K = 64;
  private static final double LONGEST_MILLIS = 60;

  /** One step of an operator. */
  private interface OneStep {
    void run(int number);
  }

  private static void check(World world, OneStep step) {
    long[] nanos = new long[STEPS];
    for (int i = 0; i < STEPS; i++) {
      long start = System.nanoTime();
      step.run(i);
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    double median = nanos[STEPS / 2] / 1e6;
    assertTrue(
        median < LONGEST_MILLIS,
        () -> "rank %d: a step takes %.1f ms".formatted(world.rank(), median));
  }

  @ParameterizedTest
  @EnumSource
  void ofRows(Storage storage) {
    Tuning tuning = Tuning.DEFAULT.withStorage(storage);
    LocalWorld.onHosts(HOSTS)
        .run(
            world -> {
              int ranks = world.size();
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group())
                          .rows((long) ROWS * ranks)
                          .columns(K)
                          .tuning(tuning)
                          .open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix mine = Matrix.allocate(DType.F32, ROWS, K, arena);
                Matrix all = Matrix.allocate(DType.F32, (long) ROWS * ranks, K, arena);
                Exact.fill(mine, 1, (long) ROWS * world.rank());
                check(world, _ -> gather.run(RowCounts.equal(ranks, ROWS), mine, all));
                Exact.check(all, 1);
              }
            });
  }

  /** Others have seen its header, and wait for its rows. */
  @Test
  void ofRowsThatAreWrittenLate() {
    World.local(
        3,
        world -> {
          int ranks = world.size();
          try (Workspace space =
                  Workspace.on(world.group()).rows((long) ROWS * ranks).columns(K).open();
              AllGather gather = AllGather.on(space).build()) {
            check(world, _ -> stepOfALateRank(world, gather, RowCounts.equal(ranks, ROWS)));
          }
        });
  }

  private static void stepOfALateRank(World world, AllGather gather, RowCounts counts) {
    try (Step step = gather.begin(counts)) {
      step.input().fill(1);
      if (world.rank() == 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      step.run();
    }
    // Its next step would wake the others, too.
    world.group().broadcast(1, new byte[0]);
  }

  @Test
  void ofSums() {
    LocalWorld.onHosts(HOSTS)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(ROWS).open();
                  AllReduce sum = AllReduce.on(space).columns(K).type(DType.F32).build()) {
                Matrix x = Matrix.allocate(DType.F32, ROWS, K, arena);
                Matrix y = Matrix.allocate(DType.F32, ROWS, K, arena);
                x.fill(1);
                check(world, _ -> sum.run(x, y));
                assertTrue(y.get(ROWS - 1, K - 1) == world.size(), "the sum is wrong");
              }
            });
  }
}
