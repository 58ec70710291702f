// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class RankReportTest {
  @Test
  void reports() {
    Failure failure = new Failure(3, true, "one \\ two\nthree \\n");
    assertEquals(failure, RankReport.failure(RankReport.of(failure)));
    assertNull(RankReport.failure("gemmflow: failure 3"));
    assertEquals("50 of 100", RankReport.progress(RankReport.ofProgress("50 of 100")));
    assertNull(RankReport.progress(RankReport.of(failure)));
  }

  @Test
  void longMessagesKeepTheirEnds() {
    String message = String.join("\n", List.of("first", "second", "a", "b", "c", "next", "last"));
    assertEquals(
        List.of("first", "second", "  ... (3 more lines: -v)", "next", "last"),
        new Failure(2, true, message).shortened().message().lines().toList());
  }
}
