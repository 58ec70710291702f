// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Steps that cannot go on, by an error, for lack of memory that can be written, or too early. */
@ExtendWith(Pauses.class)
class BrokenStepTest {
  private static final int ROWS = 64;
  private static final int K = 256;

  /** An executor that has no thread for one step: then nothing of that step counts as done. */
  @Test
  void anErrorOutsideTheWorkersBreaksTheGroup() {
    AtomicBoolean hasNoThread = new AtomicBoolean();
    Throwable[] thrown = new Throwable[2];
    try (ExecutorService pool = Executors.newCachedThreadPool()) {
      Executor lender =
          task -> {
            if (hasNoThread.getAndSet(false)) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            pool.execute(task);
          };
      Config.Builder config = Config.builder().threads(2).deadline(Duration.ofSeconds(8));
      Config failing = config.executor(lender).build();
      Config good = config.executor(pool).build();
      LocalWorld.of(2)
          .config(rank -> rank == 0 ? failing : good)
          .run(
              world -> {
                try (Arena arena = Arena.ofShared();
                    Workspace space = Workspace.on(world.group()).rows(ROWS).columns(K).open();
                    AllReduce sum = AllReduce.on(space).build()) {
                  Matrix a = Matrix.allocate(DType.F32, ROWS, K, arena);
                  Matrix c = Matrix.allocate(DType.F32, ROWS, K, arena);
                  for (int step = 1; step <= 6; step++) {
                    a.fill(step * (world.rank() + 1));
                    if (step == 3 && world.rank() == 0) {
                      hasNoThread.set(true);
                    }
                    sum.run(a, c);
                    assertEquals(3 * step, c.get(ROWS - 1, K - 1));
                    assertEquals(3 * step, c.get(0, 0));
                  }
                } catch (OutOfMemoryError | BrokenException e) {
                  thrown[world.rank()] = e;
                }
              });
    }
    assertInstanceOf(OutOfMemoryError.class, thrown[0]);
    String message = String.valueOf(assertInstanceOf(BrokenException.class, thrown[1]));
    assertTrue(message.contains("rank 0: java.lang.OutOfMemoryError"), message);
  }

  /** Rank 1 fails in its first step, and rank 0 wants to begin its third. */
  @Test
  void noStepBeginsInABrokenGroup() {
    CountDownLatch begins = new CountDownLatch(1);
    LocalWorld.of(2)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
              AllGather gather = AllGather.on(space).build();
              RowCounts counts = RowCounts.known(3, 0);
              if (world.rank() == 1) {
                assertThrows(ArithmeticException.class, () -> failIn(gather.begin(counts), begins));
                return;
              }
              for (int i = 0; i < 2; i++) {
                try (Step step = gather.begin(counts)) {
                  step.input().fill(i);
                  step.run();
                }
              }
              begins.countDown();
              BrokenException e = assertThrows(BrokenException.class, () -> gather.begin(counts));
              assertTrue(e.toString().contains("in the consumer"), e::toString);
            });
  }

  /** Not even one that would find room at once: rank 0 has begun none. */
  @Test
  void noFirstStepBeginsInABrokenGroup() {
    CountDownLatch broken = new CountDownLatch(1);
    LocalWorld.of(2)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
              AllGather gather = AllGather.on(space).build();
              RowCounts counts = RowCounts.known(3, 0);
              if (world.rank() == 1) {
                gather.begin(counts).close();
                broken.countDown();
                return;
              }
              awaitQuietly(broken);
              BrokenException e = assertThrows(BrokenException.class, () -> gather.begin(counts));
              assertTrue(e.toString().contains("without running it"), e::toString);
            });
  }

  /** It goes on, with all that it uses, and ends when that thread is done. */
  @Test
  void aStepThatAnotherThreadRunsIsNotClosed() throws Exception {
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
        AllGather gather = AllGather.on(space).build();
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Step step = gather.begin(RowCounts.known(2));
      step.input().fill(1);
      Future<?> run =
          thread.submit(
              () ->
                  step.run(
                      (first, end, rows, number) -> {
                        working.countDown();
                        awaitQuietly(closed);
                      }));
      awaitQuietly(working);
      try {
        IllegalStateException e = assertThrows(IllegalStateException.class, step::close);
        assertTrue(e.toString().contains("running in another thread"), e::toString);
      } finally {
        closed.countDown();
      }
      run.get(20, TimeUnit.SECONDS);
      step.close();
    }
  }

  private static void failIn(Step step, CountDownLatch begins) {
    try (step) {
      step.run(
          (first, end, rows, thread) -> {
            awaitQuietly(begins);
            throw new ArithmeticException("in the consumer");
          });
    }
  }

  /** Nothing is written, and the group goes on. */
  @Test
  void readOnlyOutputsAreRefusedBeforeAStepBegins() {
    LocalWorld.of(2)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
                  PackedWeights weights =
                      world.pack(Exact.matrix(DType.F32, 3, 2, 1, arena), WeightLayout.IN_OUT);
                  AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build();
                  MatmulAllReduce sum = MatmulAllReduce.on(space).weights(weights).build()) {
                Matrix a = Exact.matrix(DType.F32, 2, 3, 5, arena);
                Matrix c = Matrix.allocate(DType.F32, 4, 2, arena).fill(-7);
                refuses(() -> linear.run(a, c.asReadOnly()));
                refuses(() -> sum.run(a, c.rows(0, 2).asReadOnly()));
                refuses(() -> sum.start(a, c.rows(0, 2).asReadOnly()));
                assertEquals(-7, c.get(0, 0));
                try (Step step = linear.begin(RowCounts.known(2, 2))) {
                  Exact.fill(step.input(), 9, step.firstRow());
                  refuses(() -> step.run(c.asReadOnly()));
                  step.run(c);
                  Exact.checkProduct(c, 9, 1, 3);
                }
              }
            });
  }

  private static void refuses(Runnable run) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, run::run).getMessage());
    assertTrue(message.contains("is read-only"), message);
  }

  /** A thread of the workspace is free for the steps that another one leads to. */
  @Test
  void whatFollowsAStepMayAwaitAnother() {
    LocalWorld.of(2)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(ROWS).columns(K).open();
                  AllReduce sum = AllReduce.on(space).build()) {
                Matrix a = Matrix.allocate(DType.F32, ROWS, K, arena).fill(1);
                Matrix c = Matrix.allocate(DType.F32, ROWS, K, arena);
                sum.start(a, c)
                    .toCompletableFuture()
                    .thenRun(() -> sum.start(c, a).await())
                    .thenRun(() -> sum.start(a, c).await())
                    .get(30, TimeUnit.SECONDS);
                assertEquals(8, c.get(ROWS - 1, 0));
              }
            });
  }

  /** Memory of a step in the background cannot be freed; who tries is told. */
  @Test
  void memoryIsHeldUntilAStepInTheBackgroundEnds() {
    CountDownLatch inKernel = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    StallingKernel kernel =
        new StallingKernel(
            () -> {
              inKernel.countDown();
              awaitQuietly(tried);
            });
    LocalWorld.of(1)
        .config(Config.builder().kernel(kernel).build())
        .run(
            world -> {
              try (Arena weightsArena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
                  PackedWeights weights =
                      world.pack(
                          Exact.matrix(DType.F32, 3, 2, 1, weightsArena), WeightLayout.IN_OUT);
                  MatmulAllReduce sum = MatmulAllReduce.on(space).weights(weights).build()) {
                Arena arena = Arena.ofShared();
                Matrix a = Exact.matrix(DType.F32, 4, 3, 5, arena);
                Matrix c = Matrix.allocate(DType.F32, 4, 2, arena);
                try (RunHandle running = sum.start(a, c)) {
                  inKernel.await();
                  try {
                    assertThrows(IllegalStateException.class, arena::close);
                  } finally {
                    tried.countDown();
                  }
                  assertNotNull(running);
                }
                Exact.checkProduct(c, 5, 1, 3);
                arena.close();
              }
            });
  }

  /** Closing a handle waits, and throws what nobody has asked for. */
  @Test
  void aHandleThatIsClosedTellsOfAFailure() {
    StallingKernel kernel =
        new StallingKernel(
            () -> {
              throw new ArithmeticException("in the kernel");
            });
    LocalWorld.of(1)
        .config(Config.builder().kernel(kernel).build())
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
                  PackedWeights weights =
                      world.pack(Exact.matrix(DType.F32, 3, 2, 1, arena), WeightLayout.IN_OUT);
                  MatmulAllReduce sum = MatmulAllReduce.on(space).weights(weights).build()) {
                Matrix a = Exact.matrix(DType.F32, 4, 3, 5, arena);
                Matrix c = Matrix.allocate(DType.F32, 4, 2, arena);
                RunHandle running = sum.start(a, c);
                assertThrows(ArithmeticException.class, running::close);
              }
            });
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Either the step begins and closing throws, or the operator closes and beginning throws. */
  @Test
  void anOperatorIsNeverClosedUnderAStep() {
    LocalWorld.of(1)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(1).columns(1).open();
                  ExecutorService other = Executors.newSingleThreadExecutor()) {
                for (int i = 0; i < 2_000; i++) {
                  AllGather gather = AllGather.on(space).build();
                  var closing = other.submit(gather::close);
                  boolean begun = false;
                  boolean refused = false;
                  try (Step step = gather.begin(RowCounts.known(1))) {
                    begun = true;
                    refused = hasThrown(closing);
                    step.run();
                  } catch (IllegalStateException e) {
                    assertEquals(false, begun, e::toString);
                  }
                  assertEquals(begun, refused);
                  gather.close();
                }
              }
            });
  }

  private static boolean hasThrown(java.util.concurrent.Future<?> future)
      throws InterruptedException {
    try {
      future.get();
      return false;
    } catch (java.util.concurrent.ExecutionException e) {
      assertInstanceOf(IllegalStateException.class, e.getCause());
      return true;
    }
  }
}
