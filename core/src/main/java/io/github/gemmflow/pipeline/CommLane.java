// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.EngineException;

/**
 * Moves the chunks and headers of a workspace between this rank and ranks of other hosts. Its
 * methods run on the comm thread, except {@link #open} and {@link #lay}.
 */
final class CommLane implements CommThread.Agent {
  private final Members members;
  private final Space space;
  private final StepTransfers[] slots = new StepTransfers[Space.SLOTS];
  private final int reader;
  private boolean stopped;
  private boolean clean = true;
  private volatile long opened;
  private volatile long laid;
  private long finished;

  /**
   * For a workspace.
   *
   * @param firstTag the lowest of the {@link #tags} tags that are this workspace's
   */
  CommLane(Members members, Space space, Arrivals arrivals, Channel channel, int firstTag) {
    this.members = members;
    this.space = space;
    this.reader =
        members.domains().size(members.domain()) + members.domains().indexOf(members.rank());
    for (int slot = 0; slot < slots.length; slot++) {
      slots[slot] = new StepTransfers(members, space, arrivals, channel, firstTag);
    }
  }

  /** How many tags a workspace needs: one for each route and one for headers. */
  static int tags(int ranks) {
    return StepTransfers.tags(ranks);
  }

  /** A step has begun: headers may travel. Called by the thread that begins it. */
  void open(OpenStep step) {
    slots[step.slot()].bind(step);
    opened = step.number() + 1;
    members.ringComm();
  }

  /** The rows of the step are known: chunks may travel. Called by the thread that begins it. */
  void lay(OpenStep step) {
    laid = step.number() + 1;
    members.ringComm();
  }

  @Override
  public int poll() {
    if (stopped) {
      return 0;
    }
    if (members.isBroken()) {
      stop();
      return 1;
    }
    int done = 0;
    boolean allHeaders = true;
    boolean allStarted = true;
    for (long number = finished; number < opened; number++) {
      StepTransfers transfers = slots[space.ring().slot(number)];
      done += transfers.pollHeaders(allHeaders);
      allHeaders &= transfers.hasAllHeaders();
      // Chunks of one route must not overtake those of the step before.
      if (number < laid && allStarted) {
        done += transfers.pollChunks();
        allStarted = transfers.isAllStarted();
      } else {
        allStarted = false;
      }
    }
    while (finished < laid && slots[space.ring().slot(finished)].isFinished()) {
      space.ring().pass(reader, finished);
      finished++;
      members.ringHost();
    }
    return done;
  }

  @Override
  public boolean expects() {
    return !stopped && finished < opened;
  }

  @Override
  public void fail(EngineException failure) {
    stop();
  }

  /** What the oldest step that is not finished waits for, for a person. */
  String describe() {
    return finished < opened ? slots[space.ring().slot(finished)].describe() : "";
  }

  private void stop() {
    stopped = true;
    for (StepTransfers transfers : slots) {
      clean &= transfers.cancel();
    }
  }

  /** Whether the engine will certainly not touch the window any more. */
  boolean isClean() {
    return clean && (stopped || finished == opened);
  }
}
