// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowPartsTest {
  @ParameterizedTest
  @CsvSource({"1, 1, 1000, 1", "2, 1, 1000, 8", "2, 1, 3, 3", "2, 100, 350, 3", "2, 100, 7, 1"})
  void everyRowIsInOnePart(int threads, long leastRows, long rows, int expected) {
    RowParts parts = new RowParts(threads, leastRows);
    assertEquals(expected, parts.count(rows));
    assertEquals(0, parts.begin(0, rows));
    assertEquals(rows, parts.begin(expected, rows));
    for (int part = 0; part < expected; part++) {
      long size = parts.begin(part + 1, rows) - parts.begin(part, rows);
      assertTrue(size >= Math.min(leastRows, rows), size + " rows");
    }
  }
}
