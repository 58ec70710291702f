// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DeadlineException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Waiting for other threads of this process, with the exceptions that our callers expect. */
public final class Futures {
  private static final long LOOK_NANOS = 1_000_000_000;

  /** Longer than any program runs. */
  public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

  private Futures() {}

  /** Waits as long as it takes. */
  public static <T> T join(CompletableFuture<T> future) {
    return join(future, FOREVER, () -> {}, () -> "forever");
  }

  /**
   * Waits until a deadline.
   *
   * @param late the message of the {@link DeadlineException}
   */
  public static <T> T join(CompletableFuture<T> future, Duration deadline, Supplier<String> late) {
    return join(future, deadline, () -> {}, late);
  }

  /**
   * Waits until a deadline, and looks around every now and then.
   *
   * @param look called while it waits
   * @param late the message of the {@link DeadlineException}
   */
  public static <T> T join(
      CompletableFuture<T> future, Duration deadline, Runnable look, Supplier<String> late) {
    long start = System.nanoTime();
    while (true) {
      long left = deadline.toNanos() - (System.nanoTime() - start);
      try {
        return future.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        throw unwrap(e);
      } catch (InterruptedException e) {
        throw interrupted();
      } catch (TimeoutException e) {
        if (left <= LOOK_NANOS) {
          throw new DeadlineException(late.get());
        }
        look.run();
      }
    }
  }

  /** Waits as long as it takes, whatever interrupts: for what must be over before a close. */
  public static <T> T joinUninterruptibly(CompletableFuture<T> future) {
    return joinUninterruptibly(future, FOREVER, () -> "forever");
  }

  /**
   * Waits until a deadline, whatever interrupts: for what must be done before something is closed.
   *
   * @param late the message of the {@link DeadlineException}
   */
  public static <T> T joinUninterruptibly(
      CompletableFuture<T> future, Duration deadline, Supplier<String> late) {
    boolean interrupted = false;
    long start = System.nanoTime();
    try {
      while (true) {
        try {
          long left = deadline.toNanos() - (System.nanoTime() - start);
          return future.get(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw unwrap(e);
    } catch (TimeoutException e) {
      throw new DeadlineException(late.get());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException unwrap(ExecutionException e) {
    return switch (e.getCause()) {
      case RuntimeException cause -> cause;
      case Error cause -> throw cause;
      case null, default -> new IllegalStateException(e);
    };
  }

  private static BrokenException interrupted() {
    Thread.currentThread().interrupt();
    return new BrokenException("the waiting thread was interrupted");
  }

  /**
   * Waits for a thread to end, whatever interrupts.
   *
   * @return whether it has ended by the deadline
   */
  public static boolean joinThread(Thread thread, Duration deadline) {
    boolean interrupted = false;
    long start = System.nanoTime();
    long left = deadline.toNanos();
    while (thread.isAlive() && left > 0) {
      try {
        boolean _ = thread.join(Duration.ofNanos(left));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline.toNanos() - (System.nanoTime() - start);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
