// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.pipeline.step.Callers;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Idle;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Budget of cores for the threads of a rank: nobody spins where that would take a core from someone
 * who multiplies.
 */
public final class ThreadBudget {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private final int rank;
  private final Neighbours neighbours;
  private final int threads;
  private final Idle idle;
  private final List<Integer> hostRanks;
  private final int processors = Runtime.getRuntime().availableProcessors();
  private final Callers callers = new Callers(System::nanoTime);

  /**
   * For a rank.
   *
   * @param pretended whether hosts are pretended, so that all ranks share this one
   * @param threads that multiply in each rank
   */
  public ThreadBudget(int rank, Neighbours neighbours, boolean pretended, int threads, Idle idle) {
    this.rank = rank;
    this.neighbours = neighbours;
    this.threads = threads;
    this.idle = idle;
    Hosts hosts = neighbours.hosts();
    this.hostRanks =
        IntStream.range(0, hosts.ranks())
            .filter(other -> pretended || hosts.hostOf(other) == hosts.hostOf(rank))
            .boxed()
            .toList();
  }

  /** The ranks that share the cores of this host, ascending. */
  List<Integer> hostRanks() {
    return hostRanks;
  }

  /** The threads of the rank that run steps. */
  public Callers callers() {
    return callers;
  }

  /** How long a compute thread spins for others of its rank before it sleeps. */
  public long spinNanos() {
    return idle.spinNanos(hostRanks.size() * threads, processors);
  }

  /**
   * The same for rows to come, by what the rank does at the time.
   *
   * @param brought whether the communication thread brings them alone, so that it needs a core
   */
  public LongSupplier spinNanos(boolean brought) {
    int perRank = threads + (brought ? 1 : 0);
    long alone = idle.spinNanos(hostRanks.size() * perRank, processors);
    long besideOthers = idle.spinNanos(hostRanks.size() * (perRank + threads), processors);
    return () -> callers.areSeveral() ? besideOthers : alone;
  }

  /** Where cores are scarce, only while a compute thread of this host sleeps: it waits for rows. */
  public BooleanSupplier commThreadMaySpin() {
    if (idle != Idle.SPIN) {
      return () -> false;
    }
    return hasCoresFor(threads + 1) ? () -> true : () -> neighbours.doesAnyComputeThreadSleep(rank);
  }

  /** Threads that multiply take turns on a core at best; nobody would ask for that. */
  public void warnOfTooManyThreads() {
    if (threads > 1 && !hasCoresFor(threads) && neighbours.hosts().indexOf(rank) == 0) {
      LOG.log(
          WARNING,
          "rank {0}: {1,choice,1#1 rank|1<{1} ranks} with {2} compute threads each are too many for the {3} processors that this process may use: set gemmflow.threads to {4}",
          rank,
          hostRanks.size(),
          threads,
          processors,
          Math.max(1, processors / hostRanks.size()));
    }
  }

  private boolean hasCoresFor(int threadsPerRank) {
    return hostRanks.size() * threadsPerRank <= processors;
  }
}
