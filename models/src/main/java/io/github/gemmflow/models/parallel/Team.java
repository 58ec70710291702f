// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Threads for what is computed between operators: as many as multiply, and the caller is one of
 * them. One caller at a time.
 */
public final class Team implements AutoCloseable {
  private final int members;
  private final ExecutorService others;

  public Team(int members) {
    this.members = members;
    this.others =
        Executors.newFixedThreadPool(
            members, Thread.ofPlatform().daemon().name("gemmflow-team-", 0).factory());
  }

  /** Runs all tasks, which do not depend on each other; returns when all are done. */
  public void run(int tasks, IntConsumer work) {
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 1; i < Math.min(members, tasks); i++) {
      running.add(CompletableFuture.runAsync(() -> run(next, tasks, work), others));
    }
    run(next, tasks, work);
    try {
      running.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static void run(AtomicInteger next, int tasks, IntConsumer work) {
    for (int task = next.getAndIncrement(); task < tasks; task = next.getAndIncrement()) {
      work.accept(task);
    }
  }

  @Override
  public void close() {
    others.close();
  }
}
