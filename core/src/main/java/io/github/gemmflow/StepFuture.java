// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Future of a step that runs in the background. A thread that works on the step cannot wait for it,
 * because neither would ever end: waiting throws {@link IllegalStateException} there. The same
 * holds for futures that depend on this one.
 */
final class StepFuture<T> extends CompletableFuture<T> {
  private final Runnable waitCheck;

  /**
   * Future of a step that has not ended.
   *
   * @param waitCheck throws on a thread that works on the step
   */
  StepFuture(Runnable waitCheck) {
    this.waitCheck = waitCheck;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new StepFuture<>(waitCheck);
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    check();
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    check();
    return super.get(timeout, unit);
  }

  @Override
  public T join() {
    check();
    return super.join();
  }

  private void check() {
    if (!isDone()) {
      waitCheck.run();
    }
  }
}
