// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.Futures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** A step that runs in the background. Thread-safe. */
public final class RunHandle {
  private final CompletableFuture<Void> future;

  RunHandle(Executor executor, Runnable run) {
    this.future = CompletableFuture.runAsync(run, executor);
  }

  public boolean isDone() {
    return future.isDone();
  }

  /** Waits for the results; throws what {@link Step#run} would have thrown. */
  public void await() {
    Futures.join(future);
  }

  void awaitQuietly() {
    Futures.join(future.handle((ok, failure) -> true));
  }

  /** A future for the same; completing or cancelling it does not touch the step. */
  public CompletableFuture<Void> toCompletableFuture() {
    return future.copy();
  }
}
