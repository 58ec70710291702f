// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

/** Cursor over a window: hands out one region after another. */
public final class WindowCursor {
  /** Rows start at pages. */
  public static final long PAGE = 4096;

  /** Slots start at cache lines, which are also as wide as the widest vector register. */
  public static final long LINE = 64;

  private long next;

  /**
   * The offset of a region.
   *
   * @throws ArithmeticException if the window would be larger than any memory
   */
  public long take(long bytes, long alignment) {
    long offset = roundUp(next, alignment);
    next = Math.addExact(offset, bytes);
    return offset;
  }

  /** The size of a window with all regions so far. */
  public long end() {
    return roundUp(next, PAGE);
  }

  public static long roundUp(long bytes, long unit) {
    return Math.multiplyExact(Math.ceilDiv(bytes, unit), unit);
  }
}
