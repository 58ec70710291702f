// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.scope.HeldMemory;
import io.github.gemmflow.pipeline.comm.Futures;
import io.github.gemmflow.pipeline.compute.TrackedWork;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Step that runs in the background. What it reads and writes cannot be freed before it ends.
 * Closing it waits for that, so that a program that fails meanwhile leaves nothing running.
 * Thread-safe.
 */
public final class RunHandle implements AutoCloseable {
  private final CompletableFuture<Void> future;
  private final Runnable waitCheck;
  private final @Nullable TrackedRows rows;
  private volatile boolean asked;

  /**
   * Rows of a step that gathers.
   *
   * @param count how many there are
   * @param work tells which are done
   */
  record TrackedRows(long count, TrackedWork work) {}

  private RunHandle(
      CompletableFuture<Void> future, Runnable waitCheck, @Nullable TrackedRows rows) {
    this.future = future;
    this.waitCheck = waitCheck;
    this.rows = rows;
  }

  /**
   * Starts a step. When this returns, the memory of its matrices cannot be freed any more.
   *
   * @param waitCheck throws on a thread that works on the step, and so cannot wait for it
   * @param rows its rows, if it gathers
   * @param run runs it
   * @param otherwise called instead if that memory has been freed already
   */
  static RunHandle start(
      Executor executor,
      Runnable waitCheck,
      @Nullable TrackedRows rows,
      Runnable run,
      Runnable otherwise,
      Matrix... matrices) {
    List<MemorySegment> memory = Arrays.stream(matrices).map(Matrix::memory).toList();
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    Supplier<Void> hold =
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
            if (rows != null) {
              rows.work.end();
            }
          }
          return null;
        };
    CompletableFuture<Void> future = new StepFuture<Void>(waitCheck).completeAsync(hold, executor);
    RunHandle handle = new RunHandle(future, waitCheck, rows);
    Futures.joinUninterruptibly(held);
    return handle;
  }

  /** Whether the results are there, or the step has failed. */
  public boolean isDone() {
    return future.isDone();
  }

  /**
   * Waits for the results; throws what {@link Step#run} would have thrown.
   *
   * @throws IllegalStateException on a thread that works on the step, such as in its consumer
   */
  public void await() {
    asked = true;
    Futures.join(future);
  }

  /**
   * Waits for some rows of a step that gathers, while others are still on their way: until their
   * results are in the outputs, or, if there are none, until {@link Step#gathered(long, long)}
   * gives them. Throws what {@link Step#run} would have thrown if they never come. What was made of
   * such rows counts once the step has ended well: only then is it known that all ranks ran the
   * same.
   *
   * @param first the first of them, as a row of A
   * @param end the row after the last
   * @throws IllegalStateException if the step does not gather, and on a thread that works on it,
   *     such as in its consumer
   */
  public void awaitRows(long first, long end) {
    if (rows == null) {
      throw new IllegalStateException("a sum is complete in all rows at once: use await()");
    }
    if (first < 0 || end < first || end > rows.count) {
      throw new IllegalArgumentException(
          "the step has the rows 0 to %d, not %d to %d".formatted(rows.count, first, end));
    }
    waitCheck.run();
    if (!Futures.join(rows.work.whenDone(first, end))) {
      await();
    }
  }

  void awaitQuietly() {
    Futures.joinUninterruptibly(future.handle((ok, failure) -> true));
  }

  /**
   * A future for the same; completing or cancelling it does not touch the step. What depends on it
   * runs in a thread of its own, and may start and await further steps. A thread that works on the
   * step cannot wait for the future either: {@code get} and {@code join} throw {@link
   * IllegalStateException} there.
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
