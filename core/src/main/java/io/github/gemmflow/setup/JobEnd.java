// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Futures;
import io.github.gemmflow.window.Parking;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * End of a job after a failure. It comes after a grace period, in which every rank that has found
 * the failure can say so and this process can print the exception that led here, and at the latest
 * when this process ends.
 */
public final class JobEnd {
  /** How long the communication thread may take to call the engine, unless it is stuck. */
  private static final Duration ANSWER = Duration.ofSeconds(1);

  /** How long the engine may take to end the job, and this process with it. */
  private static final Duration ABORT = Duration.ofSeconds(10);

  private final CommThread commThread;
  private final Engine engine;

  public JobEnd(CommThread commThread, Engine engine) {
    this.commThread = commThread;
    this.engine = engine;
  }

  /**
   * Ends the job after the engine's grace period, while the caller goes on.
   *
   * @return whether the job has been ended already, because the engine grants no such period
   */
  public boolean begin(String reason) {
    if (engine.graceNanos() == 0) {
      now(reason);
      return true;
    }
    long start = System.nanoTime();
    Runnable end =
        () -> {
          waitUntil(start + engine.graceNanos());
          now(reason);
        };
    try {
      Runtime.getRuntime().addShutdownHook(new Thread(end, "gemmflow-abort"));
    } catch (IllegalStateException e) {
      // This process ends at this very moment, and nothing after this is sure to run.
      end.run();
      return true;
    }
    Thread.ofPlatform().daemon().name("gemmflow-abort").start(end);
    return false;
  }

  /** Ends the job for all ranks at once. */
  public void now(String reason) {
    AtomicBoolean begun = new AtomicBoolean();
    CompletableFuture<Boolean> aborted =
        commThread.call(
            () -> {
              begun.set(true);
              engine.abort(reason);
              return true;
            });
    if (!isDone(aborted, ANSWER) && !(begun.get() && isDone(aborted, ABORT))) {
      engine.kill(reason + "; the communication thread does not answer");
    }
  }

  /** No, too, if the thread has ended and can call nobody any more. */
  private static boolean isDone(CompletableFuture<Boolean> aborted, Duration patience) {
    try {
      return Futures.joinUninterruptibly(aborted, patience, () -> "it takes too long");
    } catch (GemmflowException e) {
      return false;
    }
  }

  private static void waitUntil(long nanoTime) {
    Parking.until(
        () -> nanoTime - System.nanoTime() <= 0,
        () -> LockSupport.parkNanos(nanoTime - System.nanoTime()));
  }
}
