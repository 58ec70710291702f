// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import io.github.gemmflow.system.ranks.Report;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Count of the tests that jobs report: one passed if it passed on every rank. */
final class Tally {
  private final PrintWriter out;
  private int passed;
  private int failed;

  Tally(PrintWriter out) {
    this.out = out;
  }

  /** Runs a job whose ranks all come to a good end, and counts its tests. */
  void count(Job job, Class<?> program, String... arguments) {
    Job.Result result = job.run(program, arguments);
    if (!count(result, job.ranks()) || !endedWell(result)) {
      fail(result.text() + "\nexit code " + result.exitCode());
    }
  }

  /**
   * MPICH 4.0 on UCX hangs in {@code MPI_Finalize} now and then when there are several hosts, in C
   * too; the engine says so and goes on, and only the launcher's exit code tells.
   */
  private static boolean endedWell(Job.Result result) {
    return result.exitCode() == 0
        || result
            .text()
            .contains("MPI (libmpich.so.12, MPICH Version:\t4.0.2) did not close within");
  }

  /** Runs a job that loses a rank, and counts the tests of the others. */
  void countSurvivors(Job job, Class<?> program, String... arguments) {
    Job.Result result = job.run(program, arguments);
    if (!count(result, job.ranks() - 1)) {
      fail(result.text());
    }
  }

  /** Returns whether all tests passed. */
  private boolean count(Job.Result result, int ranks) {
    Map<String, Integer> ranksThatPassed = new LinkedHashMap<>();
    boolean all = true;
    for (String line : result.reports()) {
      if (line.startsWith(Report.OK)) {
        ranksThatPassed.merge(line.substring(Report.OK.length()), 1, Integer::sum);
      } else if (line.startsWith(Report.FIGURE)) {
        out.println(line.substring(Report.FIGURE.length()));
      }
      all &= !line.startsWith(Report.FAILED);
    }
    for (int count : ranksThatPassed.values()) {
      if (count == ranks) {
        passed++;
      } else {
        all = false;
      }
    }
    return all && !ranksThatPassed.isEmpty();
  }

  void pass() {
    passed++;
  }

  void figure(String text) {
    out.println(text);
  }

  void fail(String reason) {
    failed++;
    out.println(reason);
  }

  int passed() {
    return passed;
  }

  int failed() {
    return failed;
  }
}
