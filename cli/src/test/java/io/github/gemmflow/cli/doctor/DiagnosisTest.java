// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static io.github.gemmflow.cli.doctor.check.Findings.assertFinding;
import static io.github.gemmflow.cli.doctor.check.Status.WARNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.doctor.check.Finding;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All findings together, as people read them. */
class DiagnosisTest {
  /** None may stop the others. */
  @Test
  void checksThatFail() {
    Finding finding =
        Doctor.look(
            "Cores",
            () -> {
              throw new IOException("no such luck");
            });
    assertFinding(WARNING, "unknown: java.io.IOException: no such luck", "", finding);
  }

  @Test
  void aReportIsWrapped() {
    Finding bad = Finding.problem("Java", "word ".repeat(30), "first ".repeat(20), "second");
    Diagnosis report = new Diagnosis("title", List.of(Finding.ok("System", "fine"), bad));
    List<String> lines = report.text().lines().toList();
    assertEquals("ok       System         fine", lines.get(2));
    assertEquals("problem  Java           " + "word ".repeat(11).strip(), lines.get(3));
    assertEquals(" ".repeat(24) + "word ".repeat(11).strip(), lines.get(4));
    assertTrue(lines.contains(" ".repeat(24) + "or: second"), report::text);
    assertEquals("1 problem.", lines.getLast());
    assertEquals(List.of(), lines.stream().filter(line -> line.length() > 80).toList());
  }
}
