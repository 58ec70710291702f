// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.Futures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A step that runs in the background. Thread-safe. */
public final class RunHandle {
  private final CompletableFuture<Void> future;
  private volatile boolean asked;

  RunHandle(Executor executor, Runnable run) {
    this.future = CompletableFuture.runAsync(run, executor);
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

  /** A future for the same; completing or cancelling it does not touch the step. */
  public CompletableFuture<Void> toCompletableFuture() {
    asked = true;
    return future.copy();
  }

  /** Throws what the step threw, if nobody has asked for it. */
  void throwUnseenFailure() {
    if (!asked) {
      Futures.join(future);
    }
  }
}
