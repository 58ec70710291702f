// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.job.ExitCode;
import org.junit.jupiter.api.Test;

class PlanCommandTest {
  private static String plan(String... words) {
    Ran ran = Ran.here(words);
    assertEquals(ExitCode.GOOD.number(), ran.exitCode(), ran::err);
    return ran.out();
  }

  private static void assertHas(String line, String text) {
    assertTrue(text.contains(line), () -> "'%s' is not in:%n%s".formatted(line, text));
  }

  @Test
  void fewRanksAreListed() {
    String text = plan("plan", "-n", "4", "--hosts", "2", "--gm", "8", "--gk", "8", "-v");
    assertHas("from 4 ranks on 2 hosts [[0, 1], [2, 3]]\n", text);
    assertHas("rows 2-3 of rank 1: 1 chunk; to host 1: rank 1 -> rank 3\n", text);
    assertFalse(text.contains("/dev/shm"), text);
  }

  /** 8 rows of 16 bytes from each rank: 254 ranks are on other hosts. */
  @Test
  void manyRanksAreSummedUp() {
    String text = plan("plan", "-n", "256", "--hosts", "128", "--gm", "2048", "--gk", "8", "-v");
    assertHas("from 256 ranks, 128 hosts x 2 ranks\n", text);
    assertHas("into each host, per step: 32.5 kB in 254 messages, and 254 headers\n", text);
    assertHas("out of each host, per step: 32.5 kB in 254 messages, and 254 headers\n", text);
    assertHas("/dev/shm, per host: ", text);
    assertTrue(text.lines().count() < 12, text);
  }

  @Test
  void hostsThatDiffer() {
    String text = plan("plan", "-n", "17", "--hosts", "2", "--gm", "17", "--gk", "8");
    assertHas("17 ranks, 1 host x 9 ranks, 1 host x 8 ranks\n", text);
    assertHas("into each host, per step: 128 bytes to 144 bytes in 8 to 9 messages", text);
    assertHas("and 8 to 9 headers\n", text);
  }

  /** Each of 4 hosts sends its sums of 16 rows of 32 bytes to 3 others. */
  @Test
  void sumsForAllRanks() {
    String text =
        plan(
            "plan",
            "-n",
            "32",
            "--hosts",
            "4",
            "--gm",
            "16",
            "--gn",
            "8",
            "--operation",
            "all-reduce");
    assertHas("into each host, per step: 1.54 kB in 48 messages, and 24 headers\n", text);
    assertHas("/dev/shm, per host: ", text);
  }

  /** Rows that no number of ranks divides: every rank has all of them. */
  @Test
  void sumsOfAnyNumberOfRows() {
    String text =
        plan("plan", "-n", "2", "--hosts", "2", "--gm", "9", "--operation", "all-reduce", "-v");
    assertHas("rows 4-8; host 0: added up by rank 0, leaves; host 1: added up by rank 1", text);
  }

  @Test
  void bytesHaveThreeDigits() {
    assertEquals("999 bytes", PlanSummary.bytes(999));
    assertEquals("1.00 kB", PlanSummary.bytes(1000));
    assertEquals("66.6 MB", PlanSummary.bytes(66_600_000));
    assertEquals("123 GB", PlanSummary.bytes(123_000_000_000L));
    assertEquals("9.22 EB", PlanSummary.bytes(Long.MAX_VALUE));
  }
}
