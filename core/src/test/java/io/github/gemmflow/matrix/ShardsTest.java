// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class ShardsTest {
  @Test
  void shardsAreEvenAndCoverAll() {
    assertArrayEquals(new long[] {3, 3, 4}, Shards.of(10, 3).sizes());
    assertArrayEquals(new long[] {0, 1, 0, 1}, Shards.of(2, 4).sizes());
    for (long total = 0; total < 40; total++) {
      for (int ranks = 1; ranks < 9; ranks++) {
        Shards shards = Shards.of(total, ranks);
        assertEquals(0, shards.begin(0));
        assertEquals(total, shards.end(ranks - 1));
        for (int rank = 1; rank < ranks; rank++) {
          assertEquals(shards.end(rank - 1), shards.begin(rank));
        }
      }
    }
    assertEquals(Long.MAX_VALUE, Shards.of(Long.MAX_VALUE, 7).end(6));
    assertThrows(IllegalArgumentException.class, () -> Shards.of(-1, 2));
    assertThrows(IllegalArgumentException.class, () -> Shards.of(1, 0));
  }

  @Test
  void rowsAreReadAndWritten() {
    try (Arena arena = Arena.ofConfined()) {
      for (DType type : DType.values()) {
        Matrix matrix = Matrix.allocate(type, 3, 7, arena).columns(1, 6);
        matrix.setRow(1, new float[] {1, 2, 3, 4, 5});
        float[] row = new float[6];
        matrix.getRow(1, row);
        assertArrayEquals(new float[] {1, 2, 3, 4, 5, 0}, row);
        matrix.getRow(0, row);
        assertArrayEquals(new float[6], row);
        assertThrows(IndexOutOfBoundsException.class, () -> matrix.getRow(3, row));
        assertThrows(IllegalArgumentException.class, () -> matrix.setRow(0, new float[4]));
      }
    }
  }
}
