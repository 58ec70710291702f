// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.window.Waiter;
import java.util.function.Supplier;

/** Waiting until every reader on this host is done with the step whose room a new one takes. */
final class Room {
  /**
   * A rank that waits for a neighbour's comm lane lets the neighbour say first what it waits for.
   */
  private static final long AFTER_YOU_NANOS = 250_000_000;

  private final Members members;
  private final SlotRing ring;
  private final Diagnosis diagnosis;
  private final Waiter waiter;
  private final Supplier<String> describeComm;

  /**
   * For a workspace.
   *
   * @param describeComm what this rank's comm lane waits for
   */
  Room(
      Members members,
      SlotRing ring,
      Diagnosis diagnosis,
      Waiter waiter,
      Supplier<String> describeComm) {
    this.members = members;
    this.ring = ring;
    this.diagnosis = diagnosis;
    this.waiter = waiter;
    this.describeComm = describeComm;
  }

  /**
   * Waits, with the deadline.
   *
   * @param number the number of the new step
   * @param old the step that had its room before
   */
  void await(long number, OpenStep old) {
    if (ring.isFree(number)) {
      return;
    }
    boolean afterYou = false;
    long nanos = members.deadlineNanos();
    while (!waiter.await(() -> ring.isFree(number) || members.isBroken(), nanos)) {
      int slow = ring.slowReader(number);
      if (slow < 0) {
        break;
      }
      if (afterYou || !isNeighboursCommLane(slow)) {
        DeadlineException late = late(number, old, slow);
        // A lane that stops because someone else gave up has nothing more to say.
        members.checkWhole();
        throw late;
      }
      afterYou = true;
      nanos = AFTER_YOU_NANOS;
    }
    members.checkWhole();
  }

  private boolean isNeighboursCommLane(int reader) {
    return reader >= members.hostRanks() && reader != members.commReader();
  }

  private DeadlineException late(long number, OpenStep old, int reader) {
    String rows = "rows 0-%d".formatted(old.plan().totalRows() - 1);
    String what;
    if (reader == members.commReader()) {
      what = describeComm.get();
    } else if (isNeighboursCommLane(reader)) {
      int rank = members.hostRank(reader - members.hostRanks());
      what = "rank %d has not finished its transfers to other hosts (%s)".formatted(rank, rows);
    } else {
      int rank = members.hostRank(reader);
      what = "rank %d has not finished reading %s".formatted(rank, rows);
    }
    return new DeadlineException(
        "rank %d gave up after %s without room for step %d, because step %d (%s) is not over: %s"
            .formatted(members.rank(), diagnosis.patience(), number, old.number(), rows, what));
  }
}
