// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Assertions on findings. */
public final class Findings {
  private Findings() {}

  /** Checks the status, a part of the text, and a part of the fixes: who is well has none. */
  public static void assertFinding(Status status, String text, String fix, Finding finding) {
    assertEquals(status, finding.status(), finding::toString);
    assertTrue(finding.text().contains(text), finding::toString);
    assertTrue(String.join(" | ", finding.fixes()).contains(fix), finding::toString);
    assertEquals(status == Status.OK, finding.fixes().isEmpty(), finding::toString);
  }
}
