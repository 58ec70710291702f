// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SharesTest {
  @Test
  void partsAreInProportion() {
    assertArrayEquals(new long[] {50, 25, 25}, Shares.of(2, 1, 1).sizes(100));
    assertArrayEquals(new long[] {3, 2, 3}, Shares.even(3).sizes(8));
    assertEquals(new Slice(50, 75), Shares.of(2, 1, 1).slice(100, 1));
    assertEquals(new Slice(400, 600), Shares.of(2, 1, 1).slice(100, 1).times(8));
  }

  @Test
  void everyRankHasOneIfThereAreAsMany() {
    assertArrayEquals(new long[] {1, 1, 1, 1}, Shares.of(1e9, 1, 1, 1).sizes(4));
    assertArrayEquals(new long[] {1, 1, 6}, Shares.of(1, 1, 1e9).sizes(8));
    assertEquals(2, Arrays.stream(Shares.even(5).sizes(2)).sum());
  }

  @Test
  void partsCoverAllWithoutOverlap() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1000; i++) {
      double[] weights = random.doubles(1 + random.nextInt(12), 1e-6, 1).toArray();
      Shares shares = Shares.of(weights);
      long total = random.nextInt(40);
      long[] sizes = shares.sizes(total);
      long least = total < weights.length ? 0 : 1;
      assertTrue(Arrays.stream(sizes).min().orElseThrow() >= least, "seed " + seed);
      assertEquals(total, Arrays.stream(sizes).sum(), "seed " + seed);
    }
  }

  @Test
  void sharesAreAboveZero() {
    for (double share : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThrows(IllegalArgumentException.class, () -> Shares.of(1, share));
    }
  }
}
