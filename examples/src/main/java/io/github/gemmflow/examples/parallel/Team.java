// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.parallel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for what is computed between operators: as many as multiply, and the caller is one of
 * them. One caller at a time.
 */
public final class Team implements AutoCloseable {
  private final int members;
  private final ExecutorService others;

  /** What a team does. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does one task. Tasks do not depend on each other.
     *
     * @param member a number for each thread, from 0 on
     */
    void run(int task, int member);
  }

  public Team(int members) {
    this.members = members;
    this.others =
        Executors.newFixedThreadPool(
            members, Thread.ofPlatform().daemon().name("example-", 0).factory());
  }

  /** How many threads there are at most. */
  public int members() {
    return members;
  }

  /** Runs all tasks; returns when all are done. */
  public void run(int tasks, Work work) {
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 1; i < Math.min(members, tasks); i++) {
      int member = i;
      running.add(CompletableFuture.runAsync(() -> run(next, tasks, work, member), others));
    }
    run(next, tasks, work, 0);
    try {
      running.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static void run(AtomicInteger next, int tasks, Work work, int member) {
    for (int task = next.getAndIncrement(); task < tasks; task = next.getAndIncrement()) {
      work.run(task, member);
    }
  }

  @Override
  public void close() {
    others.close();
  }
}
