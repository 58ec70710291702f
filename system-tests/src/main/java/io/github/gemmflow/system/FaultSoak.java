// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import io.github.gemmflow.system.ranks.FailsSomewhere;
import io.github.gemmflow.system.ranks.Report;
import java.time.Duration;
import java.util.List;

/**
 * Jobs in each of which one rank throws, is killed or is told to end at a random point. No other
 * rank may stay, and each says why it ended.
 */
final class FaultSoak {
  private static final List<String> FAULTS = List.of("THROW", "KILL", "TERM");
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  /**
   * Two seconds after the longer deadline, that of set-up, which is four times the other; and what
   * processes and their launcher take to end on a machine that others use, too. What they really
   * took is printed.
   */
  private static final Duration LATEST = DEADLINE.multipliedBy(4).plusSeconds(2 + 10);

  private final MpiFamily mpi;
  private final int ranks;
  private final boolean launcherCleansUp;
  private final long firstSeed;
  private final Tally tally;

  FaultSoak(MpiFamily mpi, int ranks, boolean launcherCleansUp, long firstSeed, Tally tally) {
    this.mpi = mpi;
    this.ranks = ranks;
    this.launcherCleansUp = launcherCleansUp;
    this.firstSeed = firstSeed;
    this.tally = tally;
  }

  void run(int trials) {
    SharedMemory memory = new SharedMemory(1);
    long slowest = 0;
    for (int i = 0; i < trials; i++) {
      String fault = FAULTS.get(i % FAULTS.size());
      Job job = new Job(mpi, ranks).java(List.of(Job.SOON_OVER)).patience(Duration.ofSeconds(60));
      if (!launcherCleansUp) {
        job.launcher(mpi.noCleanUp());
      }
      String[] arguments = {
        fault, Long.toString(firstSeed + i), Long.toString(DEADLINE.toMillis())
      };
      Job.Result result = job.run(FailsSomewhere.class, arguments);
      long millis = System.currentTimeMillis() - faultAt(result);
      slowest = Math.max(slowest, millis);
      String name = "seed %d, %s".formatted(firstSeed + i, fault);
      if (millis > LATEST.toMillis() || !isExplained(result)) {
        tally.fail("%s: ended %d ms after the fault%n%s".formatted(name, millis, result.text()));
      } else {
        tally.pass();
      }
      memory.awaitNothingNew(tally);
    }
    tally.figure("the slowest job ended %d ms after its fault".formatted(slowest));
  }

  private static long faultAt(Job.Result result) {
    String begin = Report.FIGURE + FailsSomewhere.FAULT_AT;
    return result.reports().stream()
        .filter(line -> line.startsWith(begin))
        .mapToLong(line -> Long.parseLong(line.substring(begin.length())))
        .findFirst()
        .orElse(0);
  }

  /**
   * Whether no rank says something wrong, and somebody says why the job ended: a rank that found
   * out, the one that threw, or, where MPI itself waits for the lost one, the watchdog.
   */
  private boolean isExplained(Job.Result result) {
    boolean wrong = result.reports().stream().anyMatch(line -> line.startsWith(Report.FAILED));
    long said = result.reports().stream().filter(line -> line.startsWith(Report.OK)).count();
    boolean explained =
        launcherCleansUp
            || said == ranks - 1
            || result.text().contains("MPI_Init_thread has not returned");
    return !wrong && explained;
  }
}
