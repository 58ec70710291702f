// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.measure.Progress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveLineTest {
  private static final long MILLI = 1_000_000;

  private long now;

  @Test
  void nothingIsShownInTheFirstSecondAndNotTooMuchAfterwards() {
    List<String> lines = new ArrayList<>();
    LiveLine line = new LiveLine(lines::add, () -> now);
    for (int i = 0; i < 100; i++) {
      now = i * 20L * MILLI;
      line.at("warm-up", i, 100, Progress.Unit.ROUNDS);
    }
    assertEquals(10, lines.size(), lines::toString);
    assertEquals(
        "warm-up                      [############............] 50 of 100 rounds",
        lines.getFirst());
    now += 1000 * MILLI;
    line.at("writing", 3 << 20, 12 << 20, Progress.Unit.BYTES);
    assertEquals(
        "writing                      [######..................] 3 of 12 MiB", lines.getLast());
    now += 1000 * MILLI;
    line.at("nothing", 0, 0, Progress.Unit.ROWS);
    assertTrue(lines.getLast().endsWith("0 of 0 rows"), lines.getLast());
  }
}
