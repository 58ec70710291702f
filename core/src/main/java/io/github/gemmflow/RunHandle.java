// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.scope.HeldMemory;
import io.github.gemmflow.pipeline.comm.Futures;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Step that runs in the background. What it reads and writes cannot be freed before it ends.
 * Closing it waits for that, so that a program that fails meanwhile leaves nothing running.
 * Thread-safe.
 */
public final class RunHandle implements AutoCloseable {
  private final CompletableFuture<Void> future;
  private volatile boolean asked;

  private RunHandle(CompletableFuture<Void> future) {
    this.future = future;
  }

  /**
   * Starts a step. When this returns, the memory of its matrices cannot be freed any more.
   *
   * @param run runs it
   * @param otherwise called instead if that memory has been freed already
   */
  static RunHandle start(Executor executor, Runnable run, Runnable otherwise, Matrix... matrices) {
    List<MemorySegment> memory = Arrays.stream(matrices).map(Matrix::memory).toList();
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    Runnable hold =
        () -> {
          try {
            HeldMemory.whileHeld(
                memory,
                () -> {
                  held.complete(true);
                  run.run();
                });
          } finally {
            if (held.complete(false)) {
              otherwise.run();
            }
          }
        };
    RunHandle handle = new RunHandle(CompletableFuture.runAsync(hold, executor));
    Futures.joinUninterruptibly(held);
    return handle;
  }

  /** Whether the results are there, or the step has failed. */
  public boolean isDone() {
    return future.isDone();
  }

  /** Waits for the results; throws what {@link Step#run} would have thrown. */
  public void await() {
    asked = true;
    Futures.join(future);
  }

  void awaitQuietly() {
    Futures.joinUninterruptibly(future.handle((ok, failure) -> true));
  }

  /**
   * A future for the same; completing or cancelling it does not touch the step. What depends on it
   * runs in a thread of its own, and may start and await further steps.
   */
  public CompletableFuture<Void> toCompletableFuture() {
    asked = true;
    return future.whenCompleteAsync((ok, failure) -> {}, Thread::startVirtualThread);
  }

  /** Throws what the step threw, if nobody has asked for it. */
  void throwUnseenFailure() {
    if (!asked) {
      Futures.join(future);
    }
  }

  /** Waits for the step to end; throws what it threw, unless somebody has asked for that. */
  @Override
  public void close() {
    awaitQuietly();
    throwUnseenFailure();
  }
}
