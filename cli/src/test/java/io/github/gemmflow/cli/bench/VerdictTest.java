// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No claim where there is nothing to claim. */
class VerdictTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | 1.092 | 0.867 | false | One host: nothing to overlap
          2 | 1.092 | 0.867 | false | Undecided: overlap changes the time by 9 %, but the same step measured twice differs by 13 %
          2 | 1.27  | 1.02  | true  | Overlap makes it 1.3x faster (79 % of the time of one after the other)
          2 | 0.8   | 1.01  | true  | Overlap makes it slower: 125 % of the time of one after the other
          2 | NaN   | 1     | false | Undecided
          """)
  void claims(int hosts, double speedup, double control, boolean decided, String begin) {
    Verdict verdict = Verdict.of(hosts, speedup, control);
    assertEquals(decided, verdict.decided());
    assertEquals(begin, verdict.text().substring(0, begin.length()));
  }

  /** The step that is drawn is no odd one. */
  @Test
  void theTryNearestTheMedianIsChosen() {
    ByteBuffer first = ByteBuffer.allocate(3 * Long.BYTES).putLong(10).putLong(2).putLong(3).flip();
    ByteBuffer other =
        ByteBuffer.allocate(3 * Long.BYTES).putLong(1).putLong(20).putLong(11).flip();
    assertEquals(2, RecordedStep.nearestMedian(List.of(first, other)));
  }
}
