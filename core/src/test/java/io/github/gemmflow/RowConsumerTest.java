// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Consumers of rows that arrive; that each row comes once, whatever the way, is in OperatorCase.
 */
@ExtendWith(Pauses.class)
class RowConsumerTest {
  private static final int ROWS = 64;
  private static final int K = 16;
  private static final long SEED = 5;

  private static Config deadline(Duration deadline) {
    return Config.builder().deadline(deadline).build();
  }

  /** Begins a gather of {@link #ROWS} rows of each of two ranks. */
  private static void gather(World world, Storage storage, Program program) {
    Tuning tuning = Tuning.DEFAULT.withStorage(storage).withChunkRows(8);
    Workspace.Builder builder = Workspace.on(world.group()).rows(2 * ROWS).columns(K);
    try (Workspace space = builder.tuning(tuning).open();
        AllGather gather = AllGather.on(space).build();
        Step step = gather.begin(RowCounts.known(ROWS, ROWS))) {
      Exact.fill(step.input(), SEED, step.firstRow());
      program.run(step);
    }
  }

  private interface Program {
    void run(Step step);
  }

  @Test
  void ownRowsComeFirst() {
    LocalWorld.onHosts(0, 1)
        .run(
            world ->
                gather(
                    world,
                    Storage.GATHERED,
                    step -> {
                      // Rows of others may have come by then, and belong to the same run.
                      List<Boolean> own = new CopyOnWriteArrayList<>();
                      long mine = step.firstRow();
                      step.run((first, end, rows, thread) -> own.add(first <= mine && mine < end));
                      assertTrue(own.getFirst());
                    }));
  }

  @ParameterizedTest
  @EnumSource
  void threadsShareTheRows(Storage storage) {
    AtomicInteger inside = new AtomicInteger();
    CountDownLatch two = new CountDownLatch(2);
    LocalWorld.of(2)
        .config(Config.builder().threads(2).build())
        .run(
            world ->
                gather(
                    world,
                    storage,
                    step ->
                        step.run(
                            (first, end, rows, thread) -> {
                              assertTrue(thread == 0 || thread == 1);
                              if (world.rank() == 0 && inside.getAndIncrement() < 2) {
                                // Neither goes on before the other has come.
                                two.countDown();
                                await(two);
                              }
                            })));
    assertEquals(0, two.getCount());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void rowsAreForReadingDuringTheCallOnly() {
    LocalWorld.of(2)
        .run(
            world ->
                gather(
                    world,
                    Storage.GATHERED,
                    step -> {
                      List<Matrix> kept = new CopyOnWriteArrayList<>();
                      step.run(
                          (first, end, rows, thread) -> {
                            assertThrows(IllegalArgumentException.class, () -> rows.set(0, 0, 1));
                            kept.add(rows);
                          });
                      for (Matrix rows : kept) {
                        Exception e =
                            assertThrows(IllegalStateException.class, () -> rows.get(0, 0));
                        assertTrue(e.toString().contains("one call"), e.getMessage());
                      }
                    }));
  }

  /** The user's own exception comes out; the other rank learns of it. */
  @ParameterizedTest
  @EnumSource
  void whatAConsumerThrowsEndsTheStep(Storage storage) {
    CountDownLatch built = new CountDownLatch(2);
    LocalWorld.onHosts(0, 1)
        .config(deadline(Duration.ofSeconds(20)))
        .run(
            world -> {
              RowConsumer consumer =
                  (first, end, rows, thread) -> {
                    if (world.rank() == 0) {
                      // Whoever still builds would rightly hear that the job was aborted.
                      await(built);
                      throw new ArithmeticException("a consumer's own");
                    }
                  };
              if (world.rank() == 0) {
                ArithmeticException e =
                    assertThrows(
                        ArithmeticException.class,
                        () -> gather(world, storage, step -> run(step, consumer, built)));
                assertEquals("a consumer's own", e.getMessage());
              } else {
                // It may have all rows before it learns of the failure.
                try {
                  gather(world, storage, step -> run(step, consumer, built));
                } catch (BrokenException e) {
                  assertTrue(e.toString().contains("a consumer's own"), e.getMessage());
                }
              }
              assertThrows(GemmflowException.class, () -> world.group().broadcast(0, new byte[1]));
            });
  }

  private static void run(Step step, RowConsumer consumer, CountDownLatch built) {
    built.countDown();
    step.run(consumer);
  }

  /** A slow consumer is working, not lost; the deadline is shorter than its call. */
  @Test
  void aSlowConsumerIsNotLost() {
    Duration deadline = Duration.ofSeconds(1);
    LocalWorld.of(2)
        .config(deadline(deadline))
        .run(
            world -> {
              gather(
                  world,
                  Storage.GATHERED,
                  step -> {
                    AtomicInteger calls = new AtomicInteger();
                    step.run(
                        (first, end, rows, thread) -> {
                          if (world.rank() == 0 && calls.getAndIncrement() == 0) {
                            spin(deadline.multipliedBy(2));
                          }
                        });
                  });
              byte[] sent = world.group().broadcast(0, new byte[] {1});
              assertEquals(1, sent[0]);
            });
  }

  /** Takes time without sleeping: it is the time itself that is tested. */
  private static void spin(Duration time) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < time.toNanos()) {
      Thread.onSpinWait();
    }
  }

  /** Rank 1 waits for room in the next but one step, which rank 0 never gives back. */
  @Test
  void aConsumerThatNeverReturnsIsNamed() {
    CountDownLatch noticed = new CountDownLatch(1);
    Config config =
        Config.builder()
            .deadline(Duration.ofMillis(500))
            .productDeadline(Duration.ofSeconds(1))
            .build();
    LocalWorld.of(2)
        .config(config)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(2).columns(K).open();
                  AllGather gather = AllGather.on(space).build()) {
                RowConsumer consumer =
                    (first, end, rows, thread) -> {
                      if (world.rank() == 0) {
                        await(noticed);
                      }
                    };
                if (world.rank() == 0) {
                  assertThrows(BrokenException.class, () -> runSteps(gather, consumer));
                } else {
                  DeadlineException e =
                      assertThrows(DeadlineException.class, () -> runSteps(gather, consumer));
                  noticed.countDown();
                  assertTrue(e.toString().contains("rank 0"), e.getMessage());
                }
              }
            });
  }

  private static void runSteps(AllGather gather, RowConsumer consumer) {
    for (int i = 0; i < 4; i++) {
      try (Step step = gather.begin(RowCounts.known(1, 1))) {
        step.run(consumer);
      }
    }
  }

  @Test
  void productsTakeNoConsumer() {
    try (World world = World.single();
        Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(2).columns(K).open();
        PackedWeights weights =
            world.pack(Matrix.allocate(DType.F32, K, 2, arena), WeightLayout.IN_OUT);
        AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build();
        Step step = product.begin(RowCounts.mine(2))) {
      Exception e =
          assertThrows(
              IllegalStateException.class, () -> step.run((first, end, rows, thread) -> {}));
      assertTrue(e.toString().contains("AllGather"), e.getMessage());
      step.run(Matrix.allocate(DType.F32, 2, 2, arena));
    }
  }

  /** Rows that are there can be read while others are not. */
  @Test
  void someRowsAreAwaitedWhileOthersAreMissing() {
    CountDownLatch read = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world ->
                gather(
                    world,
                    Storage.GATHERED,
                    step -> {
                      if (world.rank() == 1) {
                        await(read);
                        step.run();
                        return;
                      }
                      RunHandle handle = step.start();
                      handle.awaitRows(3, ROWS);
                      assertFalse(handle.isDone());
                      Exact.check(step.gathered(3, ROWS), SEED, 3);
                      assertThrows(IllegalStateException.class, () -> step.gathered(3, ROWS + 1));
                      assertThrows(
                          IllegalArgumentException.class, () -> handle.awaitRows(0, 2 * ROWS + 1));
                      read.countDown();
                      handle.awaitRows(0, 2 * ROWS);
                      Exact.check(step.gathered(0, 2 * ROWS), SEED);
                    }));
  }

  /** Who waits for rows that never come gets what the step threw. */
  @Test
  void rowsThatNeverCome() {
    CountDownLatch started = new CountDownLatch(1);
    LocalWorld.of(2)
        .config(deadline(Duration.ofSeconds(20)))
        .run(
            world -> {
              try {
                gather(
                    world,
                    Storage.GATHERED,
                    step -> {
                      if (world.rank() == 1) {
                        await(started);
                        throw new ArithmeticException("rank 1 never runs");
                      }
                      RunHandle handle = step.start();
                      started.countDown();
                      assertThrows(BrokenException.class, () -> handle.awaitRows(0, 2 * ROWS));
                    });
              } catch (ArithmeticException e) {
                assertEquals(1, world.rank());
              }
            });
  }

  @Test
  void aSumHasNoRowsToAwait() {
    try (World world = World.single();
        Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(2).columns(K).open();
        AllReduce sum = AllReduce.on(space).build()) {
      Matrix a = Matrix.allocate(DType.F32, 2, K, arena);
      try (RunHandle handle = sum.start(a, a)) {
        assertThrows(IllegalStateException.class, () -> handle.awaitRows(0, 1));
      }
    }
  }
}
