// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

/** Heads, columns or rows from {@code begin} up to, but not including, {@code end}. */
public record Slice(long begin, long end) {
  public int size() {
    return (int) (end - begin);
  }

  /** The columns of these heads. */
  public Slice times(int headSize) {
    return new Slice(begin * headSize, end * headSize);
  }
}
