// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.pipeline.comm.Futures;
import io.github.gemmflow.window.Parking;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The compute threads of a workspace: the caller of {@link #run} is thread 0, the others are its
 * own or come from an executor. One caller at a time.
 */
public final class ComputeThreads implements AutoCloseable {
  /**
   * Where there are cores to spare, a thread that hands over to another, or takes over from it,
   * spins for as long as a sleeper takes to wake up; about 50 us on a virtual machine.
   */
  private static final long HAND_OVER_NANOS = 50_000;

  /** When a workspace is closed, none of its threads works any more: they end at once. */
  private static final Duration HELPER_END = Duration.ofSeconds(10);

  private final int threads;
  private final long spinNanos;
  private final @Nullable Executor lender;
  private final Thread[] own;
  private volatile Batch batch;
  private volatile boolean closed;

  /**
   * Gets threads ready.
   *
   * @param name what the names of own threads start with
   * @param threads how many threads there are with the caller
   * @param spinNanos how long a waiting thread spins before it sleeps; 0 where cores are scarce
   * @param starting called first on each own thread, with its number
   * @param lender where the other threads come from; null for own ones
   */
  public ComputeThreads(
      String name, int threads, long spinNanos, IntConsumer starting, @Nullable Executor lender) {
    this.threads = threads;
    this.spinNanos = spinNanos == 0 ? 0 : Math.max(spinNanos, HAND_OVER_NANOS);
    this.lender = lender;
    Batch none = new Batch(thread -> {}, 1);
    this.batch = none;
    this.own = new Thread[lender == null ? threads - 1 : 0];
    for (int i = 0; i < own.length; i++) {
      int thread = i + 1;
      own[i] =
          Thread.ofPlatform()
              .name("%s-compute-%d".formatted(name, thread))
              .daemon()
              .start(
                  () -> {
                    starting.accept(thread);
                    help(none);
                  });
    }
  }

  public int threads() {
    return threads;
  }

  /**
   * Calls {@code job} with 0 on this thread, and with other numbers on those helpers that come
   * before that returns; returns when all have returned.
   */
  public void run(IntConsumer job) {
    if (threads == 1) {
      job.accept(0);
      return;
    }
    Batch current = new Batch(job, threads);
    try {
      call(current);
      job.accept(0);
    } finally {
      current.end(spinNanos);
    }
  }

  private void call(Batch current) {
    batch = current;
    for (Thread helper : own) {
      LockSupport.unpark(helper);
    }
    if (lender != null) {
      for (int i = 1; i < threads; i++) {
        lender.execute(current);
      }
    }
  }

  /**
   * The life of an own thread.
   *
   * @param none what there was before any job: a thread may be slower to start than the first job
   */
  private void help(Batch none) {
    Batch done = none;
    while (!closed) {
      awaitBatchAfter(done);
      done = batch;
      done.run();
    }
  }

  private void awaitBatchAfter(Batch done) {
    spinThenPark(() -> batch != done || closed, spinNanos);
  }

  private static void spinThenPark(BooleanSupplier over, long spinNanos) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < spinNanos && !over.getAsBoolean()) {
      Thread.onSpinWait();
    }
    Parking.until(over, LockSupport::park);
  }

  /** One job. Helpers that come when it is over find nothing to do. */
  private static final class Batch implements Runnable {
    private static final int OVER = Integer.MIN_VALUE / 2;

    private final IntConsumer job;
    private final Thread caller = Thread.currentThread();

    /** Numbers that are still to be had; less than 0 when the job is over. */
    private final AtomicInteger free;

    private final AtomicInteger busy = new AtomicInteger();

    Batch(IntConsumer job, int threads) {
      this.job = job;
      this.free = new AtomicInteger(threads - 1);
    }

    @Override
    public void run() {
      // Busy first: who ends the job must not miss one that takes a number at that moment.
      busy.incrementAndGet();
      try {
        int thread = free.getAndDecrement();
        if (thread > 0) {
          job.accept(thread);
        }
      } finally {
        if (busy.decrementAndGet() == 0) {
          LockSupport.unpark(caller);
        }
      }
    }

    /** Waits for those who take part, and for nobody else. */
    void end(long spinNanos) {
      free.set(OVER);
      spinThenPark(() -> busy.get() == 0, spinNanos);
    }
  }

  @Override
  public void close() {
    closed = true;
    for (Thread helper : own) {
      LockSupport.unpark(helper);
      boolean _ = Futures.joinThread(helper, HELPER_END);
    }
  }
}
