// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows of a neighbour are worth waiting for, but not longer than another run would cost. */
@ExtendWith(Pauses.class)
class PatienceTest {
  private static final long ROWS = 1;
  private static final long COLUMNS = 4;

  /** What a rank does before it runs a step, and once it works on one. */
  private interface Script {
    void beforeRun(int rank, int step) throws InterruptedException;

    void inKernel(int rank, int step);
  }

  /** Runs two steps on two ranks of one host; returns in how many runs rank 0 did the second. */
  private static long runsOfSecondStep(Script script) {
    long[] runs = new long[1];
    int[] steps = new int[2];
    StallingKernel kernel =
        new StallingKernel(
            () -> {
              int rank = Thread.currentThread().getName().endsWith("0") ? 0 : 1;
              script.inKernel(rank, steps[rank]);
            });
    Config config = Config.builder().kernel(kernel).deadline(Duration.ofSeconds(10)).build();
    LocalWorld.of(2)
        .config(rank -> config)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group()).rows(2 * ROWS).columns(COLUMNS).open();
                  PackedWeights weights =
                      world.pack(
                          Matrix.allocate(DType.F32, COLUMNS, COLUMNS, arena),
                          WeightLayout.IN_OUT);
                  AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build()) {
                Matrix c = Matrix.allocate(DType.F32, 2 * ROWS, COLUMNS, arena);
                long before = 0;
                for (int i = 0; i < 2; i++) {
                  before = space.stats().runs();
                  steps[world.rank()] = i;
                  try (Step step = product.begin(RowCounts.known(ROWS, ROWS))) {
                    script.beforeRun(world.rank(), i);
                    step.run(c);
                  }
                }
                if (world.rank() == 0) {
                  runs[0] = space.stats().runs() - before;
                }
              }
            });
    return runs[0];
  }

  /** A run is seconds long here, and the neighbour is late by a few milliseconds. */
  @Test
  void aNeighbourThatIsALittleLateIsWaitedFor() {
    CountDownLatch runsNow = new CountDownLatch(1);
    long runs =
        runsOfSecondStep(
            new Script() {
              @Override
              public void beforeRun(int rank, int step) throws InterruptedException {
                if (step == 1 && rank == 0) {
                  runsNow.countDown();
                } else if (step == 1) {
                  runsNow.await();
                  LockSupport.parkNanos(20_000_000);
                }
              }

              @Override
              public void inKernel(int rank, int step) {
                if (step == 0 && rank == 0) {
                  LockSupport.parkNanos(2_000_000_000);
                }
              }
            });
    assertEquals(1, runs);
  }

  /** The neighbour comes only when rank 0 works on its own rows. */
  @Test
  void aNeighbourThatDoesNotComeIsNotWaitedFor() {
    CountDownLatch works = new CountDownLatch(1);
    long runs =
        runsOfSecondStep(
            new Script() {
              @Override
              public void beforeRun(int rank, int step) throws InterruptedException {
                if (step == 1 && rank == 1) {
                  assertTrue(works.await(20, TimeUnit.SECONDS), "rank 0 never begins");
                }
              }

              @Override
              public void inKernel(int rank, int step) {
                if (step == 1 && rank == 0) {
                  works.countDown();
                }
              }
            });
    assertEquals(2, runs);
  }
}
