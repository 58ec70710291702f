// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import io.github.gemmflow.system.ranks.LostRank;
import java.time.Duration;
import java.util.List;

/**
 * Trials that lose a rank in the middle of a step, again and again, with the launcher's clean-up
 * off.
 */
final class FaultTrials {
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private final MpiFamily mpi;
  private final int ranks;
  private final int hosts;
  private final String signal;
  private final long firstSeed;
  private final Tally tally;

  FaultTrials(MpiFamily mpi, int ranks, int hosts, String signal, long firstSeed, Tally tally) {
    this.mpi = mpi;
    this.ranks = ranks;
    this.hosts = hosts;
    this.signal = signal;
    this.firstSeed = firstSeed;
    this.tally = tally;
  }

  void run(int trials) {
    SharedMemory memory = new SharedMemory(hosts);
    for (int i = 0; i < trials; i++) {
      Job job =
          new Job(mpi, ranks, hosts)
              .java(List.of(Job.SOON_OVER))
              .launcher(mpi.noCleanUp())
              .patience(Duration.ofSeconds(60));
      long millis = DEADLINE.toMillis();
      tally.countSurvivors(
          job, LostRank.class, signal, Long.toString(firstSeed + i), Long.toString(millis));
      memory.awaitNothingNew(tally);
    }
  }
}
