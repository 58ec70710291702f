// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The compute threads of a workspace. The caller of {@link #run} is thread 0; the others are parked
 * in between. One caller at a time.
 */
public final class Crew implements AutoCloseable {
  private final Thread[] helpers;
  private final AtomicInteger running = new AtomicInteger();
  private volatile @Nullable IntConsumer job;
  private volatile @Nullable Thread caller;
  private final AtomicInteger jobs = new AtomicInteger();
  private volatile boolean closed;

  /**
   * Starts the threads.
   *
   * @param name what their names start with
   * @param threads how many threads there are with the caller
   */
  public Crew(String name, int threads) {
    helpers = new Thread[threads - 1];
    for (int i = 0; i < helpers.length; i++) {
      int thread = i + 1;
      helpers[i] =
          Thread.ofPlatform().name(name + "-compute-" + thread).daemon().start(() -> help(thread));
    }
  }

  int threads() {
    return helpers.length + 1;
  }

  /** Calls {@code newJob} with each thread's number on that thread; returns when all have. */
  void run(IntConsumer newJob) {
    job = newJob;
    caller = Thread.currentThread();
    running.set(helpers.length);
    jobs.incrementAndGet();
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
    }
    try {
      newJob.accept(0);
    } finally {
      while (running.get() > 0) {
        LockSupport.park(this);
      }
      job = null;
    }
  }

  private void help(int thread) {
    int done = 0;
    while (true) {
      while (jobs.get() == done && !closed) {
        LockSupport.park(this);
      }
      if (closed) {
        return;
      }
      done = jobs.get();
      try {
        IntConsumer current = job;
        if (current != null) {
          current.accept(thread);
        }
      } finally {
        if (running.decrementAndGet() == 0) {
          LockSupport.unpark(caller);
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
      Futures.joinThread(helper);
    }
  }
}
