// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import io.github.gemmflow.window.Idle;
import io.github.gemmflow.window.Waiter;

/** The ranks of a group, as the lanes of one of them see the others. Thread-safe. */
public final class Members {
  private final int rank;
  private final Domains domains;
  private final Bell[] hostBells;
  private final Bell commBell;
  private final Breakage breakage;
  private final Idle idle;
  private final long deadlineNanos;

  /**
   * A group.
   *
   * @param rank this rank
   * @param hostBells what the compute threads of the ranks of this host sleep on, in rank order
   * @param commBell what the comm thread of this rank sleeps on
   * @param deadlineNanos how long this rank waits without progress
   */
  public Members(
      int rank,
      Domains domains,
      Bell[] hostBells,
      Bell commBell,
      Breakage breakage,
      Idle idle,
      long deadlineNanos) {
    this.rank = rank;
    this.domains = domains;
    this.hostBells = hostBells;
    this.commBell = commBell;
    this.breakage = breakage;
    this.idle = idle;
    this.deadlineNanos = deadlineNanos;
  }

  public int rank() {
    return rank;
  }

  public Domains domains() {
    return domains;
  }

  /** The domain of this rank. */
  int domain() {
    return domains.of(rank);
  }

  /** Whether there are ranks that do not share memory with this one. */
  boolean hasOtherHosts() {
    return domains.count() > 1;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** A way to wait for one thread of this rank's compute lane. */
  Waiter newWaiter() {
    return new Waiter(hostBells[domains.indexOf(rank)], idle);
  }

  /** Wakes the compute lanes of this host. */
  void ringHost() {
    for (Bell bell : hostBells) {
      bell.ring();
    }
  }

  /** Wakes the compute lane of this rank. */
  void ringSelf() {
    hostBells[domains.indexOf(rank)].ring();
  }

  /** Wakes the comm thread of this rank. */
  void ringComm() {
    commBell.ring();
  }

  /** Gives the group up: every rank of this host learns the reason at once. */
  public void breakUp(String reason) {
    breakage.tell(reason);
    ringHost();
    ringComm();
  }

  public boolean isBroken() {
    return breakage.isBroken();
  }

  /** Throws if the group has been given up. */
  public void checkWhole() {
    if (isBroken()) {
      throw broken();
    }
  }

  /** What a rank throws that finds the group given up. */
  public BrokenException broken() {
    return new BrokenException("the group is broken: " + breakage.reason());
  }
}
