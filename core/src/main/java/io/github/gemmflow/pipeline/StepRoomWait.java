// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.Heartbeats;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.LifeWatch;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.window.Waiter;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;

/**
 * Waiting until lanes of this host are done with an older step: for the room that a new one takes,
 * or to close. As long as any of them does something, the deadline does not run.
 */
final class StepRoomWait {
  private final HostPeers peers;
  private final SlotRing steps;
  private final LifeWatch life;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final Waiter waiter;

  StepRoomWait(
      HostPeers peers, StepWindow window, HeaderCheck headers, Diagnosis diagnosis, Waiter waiter) {
    this.peers = peers;
    this.steps = window.steps();
    this.life = new LifeWatch(peers, window.heartbeats());
    this.headers = headers;
    this.diagnosis = diagnosis;
    this.waiter = waiter;
  }

  /**
   * Waits for the room of a step.
   *
   * @param number the number of the new step
   * @param old the step that had its room before
   */
  void await(long number, StepContext old) {
    if (steps.isFree(number)) {
      return;
    }
    if (!await(() -> steps.isFree(number), anyLane -> true)) {
      waiter.await(
          () -> steps.isFree(number) || peers.isBroken(),
          giveUpDelay(old, steps.slowReader()) * Diagnosis.GIVE_UP_DELAY_NANOS);
      if (!steps.isFree(number)) {
        DeadlineException late = late(number, old, steps.slowReader());
        // A lane that stops because someone else gave up has nothing more to say.
        peers.checkWhole();
        throw late;
      }
    }
    peers.checkWhole();
  }

  /**
   * How many others this rank lets go first, because they know more about whom to look at: who is
   * in a step that sums, where all wait for all; the host that its own communication thread waits
   * for, and for a neighbour's communication thread that neighbour, too.
   */
  private int giveUpDelay(StepContext old, int slowReader) {
    if (!peers.isCommLane(slowReader)) {
      return old.isEachWaitingForAll() ? 2 : 0;
    }
    return slowReader == peers.commReader() ? 1 : 2;
  }

  /**
   * Waits until this rank's communication thread is done with a step; returns false if it is late.
   */
  boolean awaitSent(long number) {
    return await(() -> steps.passed(peers.commReader()) > number, anyLane -> true);
  }

  /** Waits until all ranks have begun a step; returns false if one of them is late. */
  boolean awaitHeaders(StepContext step) {
    int ranks = peers.hosts().ranks();
    for (int there = headers.headersThere(step); there < ranks; ) {
      int seen = there;
      if (!await(
          () -> headers.headersThere(step) > seen,
          reader ->
              !peers.isCommLane(reader)
                  && headers.isMissingOnlyHere(step, peers.hostRank(reader)))) {
        return false;
      }
      headers.checkWhole(step);
      there = headers.headersThere(step);
    }
    return true;
  }

  /**
   * Waits for a condition.
   *
   * @param counts whether signs of life of a lane of this host put the deadline off
   * @return false if nothing happened until the deadline; true also if the group is broken
   */
  private boolean await(BooleanSupplier condition, IntPredicate counts) {
    BooleanSupplier over = () -> condition.getAsBoolean() || peers.isBroken();
    life.start();
    for (long left = life.left(counts); left > 0; left = life.left(counts)) {
      if (waiter.await(over, Math.min(Heartbeats.LOOK_NANOS, left))) {
        return true;
      }
    }
    return over.getAsBoolean();
  }

  private DeadlineException late(long number, StepContext old, int reader) {
    long count = old.layout().totalRows();
    String rows = count == 0 ? "no rows" : "rows 0-%d".formatted(count - 1);
    String what;
    if (reader == peers.commReader()) {
      what = diagnosis.ownTransfers();
    } else if (peers.isNeighboursCommLane(reader)) {
      int rank = peers.hostRank(reader - peers.hostRanks());
      what = "rank %d has not finished its transfers to other hosts (%s)".formatted(rank, rows);
    } else {
      what = diagnosis.hostRanksBehind(steps::passed) + " did not finish reading " + rows;
    }
    return new DeadlineException(
        "rank %d gave up after %s without room for step %d, because step %d (%s) is not over: %s"
            .formatted(peers.rank(), diagnosis.patience(), number, old.number(), rows, what));
  }
}
