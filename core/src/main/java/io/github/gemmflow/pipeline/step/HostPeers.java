// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import io.github.gemmflow.window.Waiter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The ranks of a group, as the lanes of one of them see the others. Thread-safe. */
public final class HostPeers implements Breakable {
  private final int rank;
  private final Hosts hosts;
  private final Bell[] hostBells;
  private final Bell[] hostCommBells;
  private final Breakage breakage;
  private final Breakable world;
  private final Callers callers;
  private final LongSupplier spinNanos;
  private final @Nullable CommHelp help;
  private final long deadlineNanos;
  private final long productDeadlineNanos;

  /**
   * A group.
   *
   * @param rank this rank
   * @param hostBells what the compute threads of the ranks of this host sleep on, in rank order
   * @param hostCommBells what the communication threads of the ranks of this host sleep on, in rank
   *     order
   * @param world the world that the group is a part of, and is broken with
   * @param callers the threads of this rank that run steps
   * @param spinNanos how long a waiting thread spins before it sleeps
   * @param help for the communication thread, by a thread that spins; null if it needs none
   * @param deadlineNanos how long this rank waits without progress
   * @param productDeadlineNanos the same while a rank of this host is inside one product
   */
  public HostPeers(
      int rank,
      Hosts hosts,
      Bell[] hostBells,
      Bell[] hostCommBells,
      Breakage breakage,
      Breakable world,
      Callers callers,
      LongSupplier spinNanos,
      @Nullable CommHelp help,
      long deadlineNanos,
      long productDeadlineNanos) {
    this.rank = rank;
    this.hosts = hosts;
    this.hostBells = hostBells;
    this.hostCommBells = hostCommBells;
    this.breakage = breakage;
    this.world = world;
    this.callers = callers;
    this.spinNanos = spinNanos;
    this.help = help;
    this.deadlineNanos = deadlineNanos;
    this.productDeadlineNanos = productDeadlineNanos;
  }

  public int rank() {
    return rank;
  }

  public Hosts hosts() {
    return hosts;
  }

  /** The host of this rank. */
  public int host() {
    return hosts.hostOf(rank);
  }

  /** How many ranks this host has. */
  public int hostRanks() {
    return hostBells.length;
  }

  /** A rank of this host. */
  public int hostRank(int index) {
    return hosts.member(host(), index);
  }

  /** This rank's compute lane, among the readers of this host's steps: those come first. */
  public int computeReader() {
    return hosts.indexOf(rank);
  }

  /** This rank's communication thread, among the readers of this host's steps. */
  public int commReader() {
    return hostRanks() + hosts.indexOf(rank);
  }

  /** Whether a reader of this host's steps is a communication thread. */
  public boolean isCommLane(int reader) {
    return reader >= hostRanks();
  }

  /** Whether a reader of this host's steps is the communication thread of another rank. */
  public boolean isNeighboursCommLane(int reader) {
    return isCommLane(reader) && reader != commReader();
  }

  /** Whether there are ranks that do not share memory with this one. */
  public boolean hasOtherHosts() {
    return hosts.count() > 1;
  }

  public long deadlineNanos() {
    return deadlineNanos;
  }

  public long productDeadlineNanos() {
    return productDeadlineNanos;
  }

  /** A way to wait for one thread of this rank's compute lane. */
  public Waiter newWaiter() {
    Bell bell = hostBells[hosts.indexOf(rank)];
    return help == null
        ? new Waiter(bell, spinNanos, Thread::onSpinWait, () -> {}, () -> {})
        : new Waiter(bell, spinNanos, () -> moveTransfers(help), help::fallAsleep, help::wakeUp);
  }

  /** The threads of this rank that run steps. */
  public Callers callers() {
    return callers;
  }

  /** Whether threads of this rank that wait move transfers on. */
  public boolean helps() {
    return help != null;
  }

  private static void moveTransfers(CommHelp help) {
    if (!help.tryMove()) {
      Thread.onSpinWait();
    }
  }

  /** The calling thread turns to work: the communication thread sees to what cannot wait. */
  public void turnToWork() {
    if (help != null) {
      help.turnToWork();
    }
  }

  /** Something was published that travels to other hosts. */
  public void send() {
    if (help != null) {
      help.send();
    } else if (hasOtherHosts()) {
      hostCommBells[hosts.indexOf(rank)].ring();
    }
  }

  /** Wakes the compute lanes of this host. */
  public void ringHost() {
    for (Bell bell : hostBells) {
      bell.ring();
    }
  }

  /** Wakes the compute lane of this rank. */
  public void ringSelf() {
    hostBells[hosts.indexOf(rank)].ring();
  }

  /** Wakes whoever on this host fills slots, which are free again. */
  public void ringFillers() {
    ringHost();
    if (hasOtherHosts()) {
      ringHostComm();
    }
  }

  /** Wakes the communication threads of this host. */
  public void ringHostComm() {
    for (Bell bell : hostCommBells) {
      bell.ring();
    }
  }

  @Override
  public void breakUp(String reason) {
    breakage.tell(reason);
    ringHost();
    ringHostComm();
  }

  @Override
  public boolean isBroken() {
    return breakage.isBroken() || world.isBroken();
  }

  @Override
  public void look() {
    world.look();
  }

  /** Throws if the group has been given up. */
  public void checkWhole() {
    if (isBroken()) {
      throw broken();
    }
  }

  @Override
  public BrokenException broken() {
    return breakage.isBroken()
        ? new BrokenException("the group is broken: " + breakage.reason())
        : world.broken();
  }

  /** Why this group was given up; empty if it was not, whatever became of the world. */
  public String reason() {
    return breakage.reason();
  }
}
