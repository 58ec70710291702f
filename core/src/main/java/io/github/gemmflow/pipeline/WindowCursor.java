// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

/** Cursor over a window: hands out one region after another. */
final class WindowCursor {
  /** Rows start at pages. */
  static final long PAGE = 4096;

  /** Slots start at cache lines, which are also as wide as the widest vector register. */
  static final long LINE = 64;

  private long next;

  /**
   * The offset of a region.
   *
   * @throws ArithmeticException if the window would be larger than any memory
   */
  long take(long bytes, long alignment) {
    long offset = roundUp(next, alignment);
    next = Math.addExact(offset, bytes);
    return offset;
  }

  /** The size of a window with all regions so far. */
  long end() {
    return roundUp(next, PAGE);
  }

  static long roundUp(long bytes, long unit) {
    return Math.multiplyExact(Math.ceilDiv(bytes, unit), unit);
  }
}
