// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

/**
 * Bytes of a row as it lies in a window and travels. A row of {@link DType#I8} has its scale behind
 * its elements, in F32, and is padded to whole cache lines; all others are elements only.
 */
public record RowFormat(DType type, long columns) {
  private static final long LINE = 64;

  /** The size of a row in bytes. */
  public long bytes() {
    long elements = Math.multiplyExact(columns, (long) type.bytes());
    return type == DType.I8
        ? Math.ceilDiv(Math.addExact(scaleAt(), (long) Float.BYTES), LINE) * LINE
        : elements;
  }

  /**
   * The scales of rows, as a column.
   *
   * @throws IllegalStateException if they have none
   */
  public Matrix scales(Block rows) {
    if (type != DType.I8) {
      throw new IllegalStateException("rows of %s have no scales".formatted(type));
    }
    long at = rows.rows() == 0 ? 0 : scaleAt();
    return Matrix.wrap(
        rows.span().asSlice(at), DType.F32, rows.rows(), 1, rows.stride() / Float.BYTES);
  }

  /** Bytes from the beginning of a row of {@link DType#I8} to its scale. */
  public long scaleAt() {
    return Math.ceilDiv(columns, (long) Float.BYTES) * Float.BYTES;
  }
}
