// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The thread of a workspace that runs steps for callers who do not want to wait. */
public final class Starter implements Executor {
  /**
   * What a caller has attached to a step's future runs here too, and may take as long as it likes.
   */
  private static final long PATIENCE_SECONDS = 1;

  private final ExecutorService executor;
  private volatile @Nullable Thread thread;

  public Starter(String name) {
    this.executor =
        Executors.newSingleThreadExecutor(
            task -> thread = Thread.ofPlatform().name(name).daemon().unstarted(task));
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  /** Waits for the thread to end, unless it is the one that closes. */
  public void close() {
    executor.shutdown();
    if (Thread.currentThread().equals(thread)) {
      return;
    }
    try {
      // Its steps are over; this is for the few instructions that may be left.
      boolean _ = executor.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
