// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvCacheTest {
  private static final int LAYERS = 4;
  private static final int HEADS = 2;
  private static final int HEAD_SIZE = 64;

  /** A server admits texts by this figure. Arrays are twice as long as need be at worst. */
  @ParameterizedTest
  @CsvSource({"1, 1600", "16, 1600", "513, 40", "1024, 20"})
  void whatTextsTakeIsReckoned(int positions, int texts) {
    float[] row = new float[HEADS * HEAD_SIZE];
    List<KvCache> caches = new ArrayList<>();
    long before = used();
    for (int text = 0; text < texts; text++) {
      KvCache cache = new KvCache(LAYERS, HEADS, HEAD_SIZE);
      for (int position = 0; position < positions; position++) {
        cache.reserve(position + 1);
        for (int layer = 0; layer < LAYERS; layer++) {
          cache.put(layer, position, row, row);
        }
      }
      caches.add(cache);
    }
    long actual = used() - before;
    assertEquals(texts, caches.size());
    long reckoned =
        texts
            * KvCache.bytesPerPosition(LAYERS, HEADS, HEAD_SIZE)
            * (positions + KvCache.MORE_POSITIONS);
    System.out.printf(
        "KvCacheTest: %d texts of %d take %,d bytes, reckoned %,d%n",
        texts, positions, actual, reckoned);
    assertTrue(actual < 1.05 * reckoned, actual + " of " + reckoned);
    assertTrue(actual > 0.25 * reckoned, actual + " of " + reckoned);
  }

  private static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
