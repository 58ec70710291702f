// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.failure.EngineException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Tasks that other threads have for the communication thread. Thread-safe. */
final class CommTasks {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Runnable wake;
  private volatile boolean ended;

  /**
   * None yet.
   *
   * @param wake wakes the communication thread
   */
  CommTasks(Runnable wake) {
    this.wake = wake;
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  /** Has something run on the communication thread; after its end, nowhere. */
  <T> CompletableFuture<T> call(Supplier<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    add(
        () -> {
          try {
            if (ended) {
              throw new EngineException("the world is closed");
            }
            result.complete(task.get());
          } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  void add(Runnable task) {
    tasks.add(task);
    if (ended) {
      // Nobody else will come: every task that is left finds out by itself that it is too late.
      int _ = runAll();
    } else {
      wake.run();
    }
  }

  /** Runs all that are waiting; returns how many. Called on the communication thread. */
  int runAll() {
    int done = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      done++;
    }
    return done;
  }

  /** The communication thread comes no more. */
  void end() {
    ended = true;
    int _ = runAll();
  }
}
