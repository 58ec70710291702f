// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.plan.HostTraffic;
import io.github.gemmflow.tuning.Hosts;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.function.IntToLongFunction;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * Summary of a plan for many ranks: what a step costs each host. A list of who sends what to whom
 * would have hundreds of lines.
 */
final class PlanSummary {
  private static final String[] UNITS = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  private static final int STEP = 1000;

  private PlanSummary() {}

  /**
   * The summary, in three lines.
   *
   * @param windowBytes shared memory that a host needs
   */
  static String of(Hosts hosts, HostTraffic traffic, IntToLongFunction windowBytes) {
    int count = hosts.count();
    IntToLongFunction headersIn = host -> hosts.ranks() - hosts.size(host);
    IntToLongFunction headersOut = host -> hosts.size(host) * (count - 1L);
    return """
        into each host, per step: %s in %s messages, and %s headers
        out of each host, per step: %s in %s messages, and %s headers
        /dev/shm, per host: %s
        """
        .formatted(
            range(count, traffic::bytesIn, PlanSummary::bytes),
            range(count, traffic::chunksIn, String::valueOf),
            range(count, headersIn, String::valueOf),
            range(count, traffic::bytesOut, PlanSummary::bytes),
            range(count, traffic::chunksOut, String::valueOf),
            range(count, headersOut, String::valueOf),
            range(count, windowBytes, PlanSummary::bytes));
  }

  /** What all hosts have, or the least and the most that one has. */
  private static String range(int hosts, IntToLongFunction value, LongFunction<String> text) {
    LongSummaryStatistics all = IntStream.range(0, hosts).mapToLong(value).summaryStatistics();
    String least = text.apply(all.getMin());
    String most = text.apply(all.getMax());
    return least.equals(most) ? least : least + " to " + most;
  }

  /** Bytes with a unit, in three digits. */
  static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= STEP && unit < UNITS.length - 1) {
      value /= STEP;
      unit++;
    }
    String format = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, format, value, UNITS[unit]);
  }
}
