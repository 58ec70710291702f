// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.cli.doctor.host.SharedMemoryCheck;
import io.github.gemmflow.measure.Counted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Findings of all ranks of a host as one list: what all found is said once, what only some found is
 * said with their numbers.
 */
final class HostSummary {
  private static final String RANKS = "Ranks";

  /** The text says how much is free, which changes all the time. */
  private static final Set<String> CHANGING = Set.of(SharedMemoryCheck.NAME);

  /** A finding, and the ranks that found it. */
  private record Same(Finding finding, List<Integer> ranks) {}

  private HostSummary() {}

  /**
   * Sums up.
   *
   * @param reports of those that reported
   * @param expected how many ranks there are on the host
   * @param patience how long the others were waited for
   */
  static List<Finding> of(List<RankFindings> reports, int expected, Duration patience) {
    Set<String> names = new LinkedHashSet<>();
    reports.forEach(report -> report.findings().forEach(finding -> names.add(finding.name())));
    List<Finding> summary = new ArrayList<>();
    names.forEach(name -> addCheck(summary, name, reports));
    int missing = expected - reports.size();
    if (missing > 0) {
      summary.add(
          Finding.warning(
              RANKS,
              "%s of %d on this host did not report within %d s"
                  .formatted(Counted.of(missing, "rank"), expected, patience.toSeconds()),
              "inspect it with jcmd PID Thread.print"));
    }
    return summary;
  }

  /** Adds what was found by one check: once for each group of ranks that found the same. */
  private static void addCheck(List<Finding> summary, String name, List<RankFindings> reports) {
    Map<Object, Same> groups = new LinkedHashMap<>();
    for (RankFindings report : reports) {
      for (Finding finding : report.findings()) {
        if (finding.name().equals(name)) {
          Object key = CHANGING.contains(name) ? finding.status() : finding;
          groups
              .computeIfAbsent(key, _ -> new Same(finding, new ArrayList<>()))
              .ranks
              .add(report.rank());
        }
      }
    }
    for (Same same : groups.values()) {
      String who = groups.size() == 1 ? "" : describe(same.ranks) + ": ";
      summary.add(same.finding.withText(who + same.finding.text()));
    }
  }

  /** Such as "rank 3" or "ranks 4-7,9". */
  static String describe(List<Integer> ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + NumberList.of(ranks);
  }
}
