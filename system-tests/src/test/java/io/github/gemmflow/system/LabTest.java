// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of the links between simulated hosts, in a network namespace of their own. */
@Tag("full")
class LabTest {
  private static Job.Result limit(String rate) {
    String script =
        "ip link add d0 type veth peer name d1; '%s' _rate d0 '%s' && tc qdisc show dev d0"
            .formatted(Lab.program(), rate);
    return Job.execute(List.of("unshare", "--net", "bash", "-c", script), Duration.ofSeconds(60));
  }

  /** A burst passes at full speed: it must be short, or measurements of slow links are wrong. */
  @ParameterizedTest
  @CsvSource({
    "64kbit, 64Kbit, 1600b",
    "500kbit, 500Kbit, 1600b",
    "5mbit, 5Mbit, 6250b",
    "100mbit, 100Mbit, 16000b",
    "1gbit, 1Gbit, 125000b"
  })
  void theBurstOfALinkFitsItsRate(String rate, String shown, String burst) {
    Job.Result result = limit(rate);
    String expected = "rate %s burst %s ".formatted(shown, burst);
    assertTrue(result.text().contains(expected), result.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1Gbit", "100", "5mbps", "2.5gbit", "1tbit", "0kbit", "-1mbit", ""})
  void otherRatesAreRefused(String rate) {
    String expected =
        "gemmflow-lab: '%s' is not a rate: write 1gbit, 200mbit, 500kbit or none".formatted(rate);
    Job.Result result = limit(rate);
    assertEquals(1, result.exitCode());
    assertEquals(List.of(expected), result.lines());
    List<String> up = List.of(Lab.program(), "up", "--hosts", "1", "--rate", rate);
    assertEquals(List.of(expected), Job.execute(up, Duration.ofSeconds(60)).lines());
  }
}
