// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The heights that rows are multiplied in. They are few, because oneDNN generates about a megabyte
 * of code for each. Any number of rows is a sum of them, but for a short tail, which is multiplied
 * together with rows that nobody looks at: cutting it into small pieces would mean to read all
 * weights for each.
 */
final class Ladder {
  /** No tail is longer; all that are taller are multiples of it. */
  static final int STEP = 64;

  /** What there is to choose from. Taller calls are not faster. */
  private static final int[] HEIGHTS = {1, 2, 4, 8, 16, 32, 48, STEP, 128, 256, 512, 1024};

  private final int[] rungs;

  /**
   * Of some of the heights.
   *
   * @param usable which of them; that of {@link #STEP} always is
   */
  Ladder(boolean[] usable) {
    rungs = IntStream.range(0, HEIGHTS.length).filter(i -> usable[i]).toArray();
  }

  /** How many heights there are to choose from. */
  static int count() {
    return HEIGHTS.length;
  }

  static int height(int index) {
    return HEIGHTS[index];
  }

  /** The index of {@link #STEP}. */
  static int step() {
    return Arrays.binarySearch(HEIGHTS, STEP);
  }

  /** The index of the tallest usable height that is not above so many rows. */
  int tallestWithin(long rows) {
    int rung = rungs.length - 1;
    while (HEIGHTS[rungs[rung]] > rows) {
      rung--;
    }
    return rungs[rung];
  }

  /** How many of so many rows are a sum of usable heights; the others are a tail. */
  long withoutTail(long rows) {
    int tail = (int) (rows % STEP);
    return HEIGHTS[lowestFor(tail)] == tail ? rows : rows - tail;
  }

  /** The height in which a tail is multiplied. */
  int heightOfTail(long rows) {
    return HEIGHTS[lowestFor(rows)];
  }

  private int lowestFor(long rows) {
    int rung = 0;
    while (HEIGHTS[rungs[rung]] < rows) {
      rung++;
    }
    return rungs[rung];
  }
}
