// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MedianIntervalTest {
  /** The values 1 to a number, in another order. */
  private static double[] upTo(int number) {
    return IntStream.range(0, number).mapToDouble(i -> 1 + 7919L * i % number).toArray();
  }

  /** As tables of the sign test have them, for 95 % and, of 4 intervals, for 98.75 %. */
  @ParameterizedTest
  @CsvSource({
    "6, 1, 1, 6",
    "8, 1, 1, 8",
    "9, 1, 2, 8",
    "20, 1, 6, 15",
    "21, 1, 6, 16",
    "100, 1, 40, 61",
    "8, 4, 1, 8",
    "21, 4, 5, 17"
  })
  void theBoundsAreValues(int values, int intervals, double low, double high) {
    MedianInterval interval = MedianInterval.of(upTo(values), intervals);
    assertEquals(new MedianInterval((1 + values) / 2.0, low, high), interval);
  }

  @Test
  void tooFewValuesHaveNoBounds() {
    assertEquals(6, MedianInterval.fewestValues(1));
    assertEquals(8, MedianInterval.fewestValues(4));
    for (double[] few : new double[][] {{2}, {2, 2, 2, 2, 2}}) {
      MedianInterval interval = MedianInterval.of(few);
      assertEquals(2, interval.median());
      assertFalse(interval.isBounded() || interval.excludes(1), interval::toString);
    }
    assertTrue(MedianInterval.of(new double[] {2, 2, 2, 2, 2, 2}).excludes(1));
  }

  /** About 0.98 times the root of their number away from the middle, also for very many. */
  @Test
  void manyValues() {
    MedianInterval interval = MedianInterval.of(upTo(100_000));
    assertEquals(50_000.5 - 310, interval.low(), 1.5);
    assertEquals(50_000.5 + 310, interval.high(), 1.5);
  }

  @Test
  void anIntervalMissesTheMedianInFivePercentOfCasesAtMost() {
    SplittableRandom random = new SplittableRandom(1);
    for (int values : new int[] {6, 9, 21, 50}) {
      int missed = 0;
      for (int i = 0; i < 20_000; i++) {
        double[] skewed =
            IntStream.range(0, values).mapToDouble(v -> Math.log(random.nextDouble())).toArray();
        missed += MedianInterval.of(skewed).excludes(-Math.log(2)) ? 1 : 0;
      }
      assertTrue(missed <= 0.05 * 20_000, "%d values: %d".formatted(values, missed));
    }
  }

  @Test
  void aBiasedControlWidens() {
    MedianInterval ratios = new MedianInterval(1.2, 1.1, 1.3);
    assertEquals(ratios, ratios.widenedBy(new MedianInterval(1.01, 0.9, 1.2)));
    for (MedianInterval control :
        new MedianInterval[] {
          new MedianInterval(1.1, 1.05, 1.25), new MedianInterval(0.9, 0.8, 0.95)
        }) {
      MedianInterval widened = ratios.widenedBy(control);
      assertEquals(1.1 / 1.25, widened.low(), 1e-12);
      assertEquals(1.3 * 1.25, widened.high(), 1e-12);
    }
  }
}
