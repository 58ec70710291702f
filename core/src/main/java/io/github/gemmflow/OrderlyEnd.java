// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.Ending;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets a process that is told to end (SIGTERM, or {@code System.exit}) finish the steps that its
 * ranks are in, begin no new one, and leave the job in good order. A launcher tells all ranks, but
 * not at the same moment: a rank that was told only follows the others, until all ranks of its host
 * were told.
 */
final class OrderlyEnd implements Ending {
  private static final long LOOK_NANOS = 1_000_000;

  /** How long a rank that was told to end waits for its neighbours to be told the same. */
  private static final long TOGETHER_NANOS = 1_000_000_000;

  private final int rank;
  private final Neighbours neighbours;
  private volatile boolean told;
  private volatile long toldAt;
  private @Nullable Thread atExit;

  OrderlyEnd(int rank, Neighbours neighbours) {
    this.rank = rank;
    this.neighbours = neighbours;
  }

  /** Closes a world when the process is told to end. */
  void prepare(World world) {
    atExit = Thread.ofPlatform().name("gemmflow-exit").unstarted(() -> end(world));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  private void end(World world) {
    toldAt = System.nanoTime();
    told = true;
    world.openGroups().forEach(Group::finishLeading);
    neighbours.tellToEnd(rank);
    long patience = world.config().deadline().toNanos();
    while (!(isOver() && allShut(world.openGroups())) && System.nanoTime() - toldAt < patience) {
      // Who waits to begin a step looks again.
      neighbours.computeBell(rank).ring();
      LockSupport.parkNanos(LOOK_NANOS);
    }
    // Whoever told it to end does not wait for long, and the others may not know of it: if they do
    // not come, there is still the grace period that they have to say so.
    world.close(
        Duration.ofNanos(
            Math.max(0, patience - world.graceNanos() - (System.nanoTime() - toldAt))));
  }

  private static boolean allShut(List<Group> groups) {
    return groups.stream().allMatch(Group::shut);
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
  void forget() {
    if (atExit != null && !told) {
      try {
        Runtime.getRuntime().removeShutdownHook(atExit);
      } catch (IllegalStateException e) {
        // The process ends at this very moment; closing twice does nothing.
      }
    }
  }
}
