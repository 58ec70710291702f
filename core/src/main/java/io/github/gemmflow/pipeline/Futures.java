// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

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
  private Futures() {}

  /** Waits as long as it takes. */
  public static <T> T join(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw unwrap(e);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /**
   * Waits until a deadline.
   *
   * @param late the message of the {@link DeadlineException}
   */
  public static <T> T join(CompletableFuture<T> future, Duration deadline, Supplier<String> late) {
    try {
      return future.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw unwrap(e);
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (TimeoutException e) {
      throw new DeadlineException(late.get());
    }
  }

  /**
   * Waits as long as it takes, whatever interrupts: for what must be done before something is
   * closed.
   */
  public static <T> T joinUninterruptibly(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw unwrap(e);
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

  /** Waits for a thread to end, whatever interrupts. */
  static void joinThread(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
