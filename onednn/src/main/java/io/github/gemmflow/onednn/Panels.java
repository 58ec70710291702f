// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

/** Division of the columns of a product into panels of one width, and one with what is left. */
final class Panels {
  /**
   * A multiple of 64, the widest block of columns that oneDNN stores together. Measured at 4096 x
   * 4096 x 4096 in BF16 on AMX: panels of 512 to 2048 columns are a little faster than the product
   * in one piece, those of 256 are not; narrow ones are easier to share among threads.
   */
  static final int WIDTH = 512;

  private final long columns;

  Panels(long columns) {
    this.columns = columns;
  }

  int count() {
    return endAt(columns);
  }

  /** The panel after the last, for columns that end here. */
  int endAt(long column) {
    return Math.toIntExact(Math.ceilDiv(column, WIDTH));
  }

  long begin(int panel) {
    return (long) panel * WIDTH;
  }

  long width(int panel) {
    return Math.min(WIDTH, columns - begin(panel));
  }

  /** How many widths there are. */
  int shapes() {
    return columns > WIDTH && columns % WIDTH != 0 ? 2 : Math.min(1, count());
  }

  /** Which of the widths a panel has. */
  int shape(int panel) {
    return width(panel) == width(0) ? 0 : 1;
  }

  /** A panel that has a width. */
  int firstOf(int shape) {
    return shape == 0 ? 0 : count() - 1;
  }
}
