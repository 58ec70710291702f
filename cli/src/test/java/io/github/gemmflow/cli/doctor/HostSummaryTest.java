// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Status;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostSummaryTest {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static RankFindings found(int rank, Finding... findings) {
    return new RankFindings(rank, List.of(findings));
  }

  @Test
  void whatIsTheSameIsSaidOnce() {
    Finding java = Finding.ok("Java", "25");
    Finding low = Finding.ok("Cores", "0-3");
    Finding high = Finding.warning("Cores", "4", "more");
    List<RankFindings> reports =
        List.of(
            found(4, java, low), found(5, java, high), found(6, java, low), found(7, java, low));
    assertEquals(
        List.of(
            java,
            Finding.ok("Cores", "ranks 4,6-7: 0-3"),
            Finding.warning("Cores", "rank 5: 4", "more")),
        HostSummary.of(reports, 4, PATIENCE));
  }

  /** Free memory is never twice the same. */
  @Test
  void figuresThatChangeAreNoDifference() {
    Finding much = Finding.ok("Shared memory", "7 of 8 MiB free");
    Finding less = Finding.ok("Shared memory", "6 of 8 MiB free");
    Finding little = Finding.warning("Shared memory", "1 of 8 MiB free", "more");
    assertEquals(
        List.of(much), HostSummary.of(List.of(found(0, much), found(1, less)), 2, PATIENCE));
    assertEquals(
        List.of(Status.OK, Status.WARNING),
        HostSummary.of(List.of(found(0, much), found(1, little)), 2, PATIENCE).stream()
            .map(Finding::status)
            .toList());
  }

  @Test
  void whoIsMissing() {
    Finding java = Finding.ok("Java", "25");
    List<Finding> summary = HostSummary.of(List.of(found(0, java), found(1, java)), 3, PATIENCE);
    assertEquals("1 rank of 3 on this host did not report within 3 s", summary.getLast().text());
  }
}
