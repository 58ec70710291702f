// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import io.github.gemmflow.pipeline.Ending;
import io.github.gemmflow.window.Parking;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shutdown hook that lets a process that is told to end (SIGTERM, or {@code System.exit}) finish
 * the steps that its ranks are in, begin no new one, and leave the job in good order. A launcher
 * tells all ranks, but not at the same moment: a rank that was told only follows the others, until
 * all ranks of its host were told.
 */
public final class OrderlyEnd implements Ending {
  private static final long LOOK_NANOS = 1_000_000;

  /** How long a rank that was told to end waits for its neighbours to be told the same. */
  private static final long TOGETHER_NANOS = 1_000_000_000;

  private final int rank;
  private final Neighbours neighbours;
  private final long graceNanos;
  private volatile boolean told;
  private volatile long toldAt;
  private @Nullable Thread atExit;

  /**
   * For a rank.
   *
   * @param graceNanos how long the others have to say what they found before the job ends
   */
  public OrderlyEnd(int rank, Neighbours neighbours, long graceNanos) {
    this.rank = rank;
    this.neighbours = neighbours;
    this.graceNanos = graceNanos;
  }

  /**
   * Ends steps and leaves the job when the process is told to end.
   *
   * @param finishLeading returns when every step that this rank begins as the first is known to its
   *     neighbours
   * @param shut lets no step begin any more, and returns true, unless others need this rank in one
   * @param close leaves the job; waits at most so long for the others
   * @param deadline how long all of that may take
   */
  public void prepare(
      Runnable finishLeading, BooleanSupplier shut, Consumer<Duration> close, Duration deadline) {
    Runnable end =
        () -> {
          begin(finishLeading);
          finish(shut, deadline.toNanos());
          close.accept(Duration.ofNanos(left(deadline.toNanos())));
        };
    atExit = Thread.ofPlatform().name("gemmflow-exit").unstarted(end);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  private void begin(Runnable finishLeading) {
    toldAt = System.nanoTime();
    told = true;
    finishLeading.run();
    neighbours.tellToEnd(rank);
  }

  private void finish(BooleanSupplier shut, long deadline) {
    Parking.until(
        () -> (isOver() && shut.getAsBoolean()) || System.nanoTime() - toldAt >= deadline,
        () -> {
          // Who waits to begin a step looks again.
          neighbours.computeBell(rank).ring();
          LockSupport.parkNanos(LOOK_NANOS);
        });
  }

  /**
   * How long to wait for the others. Whoever told this process to end does not wait for long, and
   * they may not know of it: if they do not come, there is still the grace period that they have to
   * say so.
   */
  private long left(long deadline) {
    return Math.max(0, deadline - graceNanos - (System.nanoTime() - toldAt));
  }

  @Override
  public boolean isTold() {
    return told;
  }

  @Override
  public boolean isOver() {
    return told
        && (neighbours.areAllToldToEnd(rank) || System.nanoTime() - toldAt > TOGETHER_NANOS);
  }

  /** For a world that is closed before. */
  public void forget() {
    if (atExit != null && !told) {
      try {
        Runtime.getRuntime().removeShutdownHook(atExit);
      } catch (IllegalStateException e) {
        // The process ends at this very moment; closing twice does nothing.
      }
    }
  }
}
