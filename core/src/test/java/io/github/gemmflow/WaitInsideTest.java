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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that work on a step and wait for its end: they are told, instead of hanging. */
@ExtendWith(Pauses.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitInsideTest {
  private static final long PATIENCE_SECONDS = 30;

  /** What a consumer could wait with. */
  record Parts(
      World world, Workspace space, AllGather gather, Step step, CompletableFuture<RunHandle> own) {
    RunHandle handle() {
      return own.join();
    }
  }

  enum Wait {
    AWAIT {
      @Override
      void run(Parts parts) {
        parts.handle().await();
      }
    },
    AWAIT_ROWS {
      @Override
      void run(Parts parts) {
        parts.handle().awaitRows(0, 2);
      }
    },
    CLOSE_OF_THE_HANDLE {
      @Override
      void run(Parts parts) {
        parts.handle().close();
      }
    },
    JOIN {
      @Override
      void run(Parts parts) {
        parts.handle().toCompletableFuture().join();
      }
    },
    GET {
      @Override
      void run(Parts parts) throws Exception {
        parts.handle().toCompletableFuture().get();
      }
    },
    TIMED_GET {
      @Override
      void run(Parts parts) throws Exception {
        parts.handle().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    },
    JOIN_OF_WHAT_FOLLOWS {
      @Override
      void run(Parts parts) {
        parts.handle().toCompletableFuture().thenApply(_ -> 1).join();
      }
    },
    CLOSE_OF_THE_STEP {
      @Override
      void run(Parts parts) {
        assertNotNull(parts.handle());
        parts.step().close();
      }
    },
    CLOSE_OF_THE_OPERATOR {
      @Override
      void run(Parts parts) {
        parts.gather().close();
      }
    },
    CLOSE_OF_THE_WORKSPACE {
      @Override
      void run(Parts parts) {
        parts.space().close();
      }
    },
    CLOSE_OF_THE_GROUP {
      @Override
      void run(Parts parts) {
        parts.world().group().close();
      }
    },
    CLOSE_OF_THE_WORLD {
      @Override
      void run(Parts parts) {
        parts.world().close();
      }
    };

    abstract void run(Parts parts) throws Exception;
  }

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  /** In the thread of the workspace that runs the step, and in one that helps it. */
  @ParameterizedTest
  @EnumSource
  void aConsumerCannotWaitForItsOwnStep(Wait wait) {
    for (int waiting = 0; waiting < 2; waiting++) {
      int thread = waiting;
      AtomicReference<@Nullable Exception> thrown = new AtomicReference<>();
      LocalWorld.of(2)
          .config(Config.builder().threads(2).build())
          .run(world -> gather(world, wait, thread, thrown));
      assertInstanceOf(IllegalStateException.class, thrown.get(), wait + " in thread " + thread);
    }
  }

  private static void gather(
      World world, Wait wait, int waiting, AtomicReference<@Nullable Exception> thrown) {
    try (Workspace space = Workspace.on(world.group()).rows(4).columns(4).open();
        AllGather gather = AllGather.on(space).build();
        Step step = gather.begin(RowCounts.known(2, 2))) {
      CompletableFuture<RunHandle> own = new CompletableFuture<>();
      CompletableFuture<Boolean> waited = new CompletableFuture<>();
      Parts parts = new Parts(world, space, gather, step, own);
      RunHandle handle =
          step.start(
              (first, end, rows, thread) -> {
                if (world.rank() == 0 && thread == waiting) {
                  try {
                    wait.run(parts);
                  } catch (Exception e) {
                    thrown.compareAndSet(null, e);
                  } finally {
                    waited.complete(true);
                  }
                } else if (world.rank() == 0) {
                  // So that the other thread gets a row.
                  assertTrue(waited.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join());
                }
              });
      own.complete(handle);
      handle.await();
    }
  }

  /** What the consumer does not catch ends the step, as all that it throws. */
  @Test
  void whoWaitsForTheStepIsToldWhy() {
    AtomicReference<@Nullable Exception> thrown = new AtomicReference<>();
    LocalWorld.of(2)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(4).columns(4).open();
                  AllGather gather = AllGather.on(space).build();
                  Step step = gather.begin(RowCounts.known(2, 2))) {
                CompletableFuture<RunHandle> own = new CompletableFuture<>();
                RunHandle handle =
                    step.start(
                        (first, end, rows, thread) -> {
                          if (world.rank() == 0) {
                            own.join().await();
                          }
                        });
                own.complete(handle);
                handle.await();
              } catch (IllegalStateException e) {
                thrown.set(e);
              } catch (BrokenException e) {
                assertEquals(1, world.rank());
              }
            });
    assertEquals(
        "this thread works on step 0 of rank 0, and would wait for itself: return from the consumer first, or wait in another thread",
        assertInstanceOf(IllegalStateException.class, thrown.get()).getMessage());
  }

  /** A kernel of the user's own is part of a step, too. */
  @Test
  void aKernelCannotWaitForItsOwnSum() {
    CompletableFuture<RunHandle> own = new CompletableFuture<>();
    StallingKernel kernel = new StallingKernel(() -> own.join().await());
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
                own.complete(running);
                Exception e = assertThrows(IllegalStateException.class, running::await);
                assertTrue(e.toString().contains("would wait for itself"), e::toString);
              }
            });
  }

  /** Steps of other workspaces, and those that are over, are no business of this thread. */
  @Test
  void aConsumerCanWaitForOtherSteps() {
    LocalWorld.of(2)
        .run(
            world -> {
              try (Workspace one = Workspace.on(world.group()).rows(4).columns(4).open();
                  Workspace other = Workspace.on(world.group()).rows(4).columns(4).open();
                  AllGather gather = AllGather.on(one).build();
                  AllGather otherGather = AllGather.on(other).build();
                  Step otherStep = otherGather.begin(RowCounts.known(2, 2))) {
                RunHandle handle = otherStep.start();
                RunHandle before;
                try (Step step = gather.begin(RowCounts.known(2, 2))) {
                  before = step.start();
                  before.await();
                }
                try (Step step = gather.begin(RowCounts.known(2, 2))) {
                  step.run(
                      (first, end, rows, thread) -> {
                        handle.awaitRows(0, 4);
                        await(handle.toCompletableFuture());
                        before.awaitRows(0, 4);
                        before.close();
                      });
                }
              }
            });
  }

  private static void await(CompletableFuture<Void> future) {
    try {
      future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }
}
