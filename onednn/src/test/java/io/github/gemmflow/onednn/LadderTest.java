// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LadderTest {
  /** Any number of rows, whatever heights are usable, is a few heights and a tail. */
  @Test
  void everyNumberOfRowsIsAFewHeightsAndATail() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      boolean[] usable = new boolean[Ladder.count()];
      for (int j = 0; j < usable.length; j++) {
        usable[j] = i == 0 || j == Ladder.step() || random.nextBoolean();
      }
      Ladder ladder = new Ladder(usable);
      for (int rows = 1; rows <= 1100; rows++) {
        long left = ladder.withoutTail(rows);
        long tail = rows - left;
        int pieces = 0;
        while (left > 0) {
          int index = ladder.tallestWithin(left);
          assertTrue(usable[index]);
          left -= Ladder.height(index);
          pieces++;
        }
        assertEquals(0, left, rows + " rows");
        assertTrue(pieces <= (i == 0 ? 6 : 18), "%d rows in %d pieces".formatted(rows, pieces));
        assertTrue(tail < Ladder.STEP, "a tail of %d of %d rows".formatted(tail, rows));
        if (tail > 0) {
          int height = ladder.heightOfTail(tail);
          assertTrue(height > tail && height <= Ladder.STEP, tail + " in " + height);
        }
      }
    }
  }
}
