// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.pipeline.comm.CommLane;
import io.github.gemmflow.pipeline.comm.CommThread;
import java.time.Duration;

/**
 * Link of a workspace to its communication lane, which runs on the thread that calls the engine.
 * Nobody waits longer than the deadline for that thread: an engine may be stuck in a call.
 */
final class CommLink {
  private final CommThread thread;
  private final CommLane lane;
  private final Duration deadline;

  /** Starts the lane. */
  CommLink(CommThread thread, CommLane lane, long deadlineNanos) {
    this.thread = thread;
    this.lane = lane;
    this.deadline = Duration.ofNanos(deadlineNanos);
    thread.add(lane, deadline);
  }

  /** What the lane waits for, for a person. */
  String describe() {
    try {
      return thread.ask(lane::describe, deadline);
    } catch (GemmflowException e) {
      // Said in passing: what is to be said is what this rank waits for.
      return "the cause is unknown, because " + e.getMessage();
    }
  }

  /**
   * Ends the lane.
   *
   * @param freeLate lets go of its memory if the thread answers after the deadline
   * @return whether its memory may be unmapped; if not, the engine may still write to it
   * @throws io.github.gemmflow.failure.DeadlineException if the thread does not answer in time
   */
  boolean close(Runnable freeLate) {
    return thread.ask(
        () -> {
          thread.remove(lane);
          return lane.close();
        },
        deadline,
        clean -> {
          if (clean) {
            freeLate.run();
          }
        });
  }
}
