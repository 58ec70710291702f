// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

/**
 * Bytes of a row as it lies in a window and travels. Reals are elements only. A row of {@link
 * DType#I8} has its scale behind its elements, in F32, and is padded to whole cache lines; in
 * blocks, each {@link #BLOCK} columns have a scale of their own behind them, and nothing is padded.
 */
public record RowFormat(DType type, long columns, boolean inBlocks) {
  /** The columns of a block. */
  public static final int BLOCK = 128;

  /** The bytes of a block: its columns, and their scale. */
  public static final long BLOCK_BYTES = BLOCK + Float.BYTES;

  private static final long LINE = 64;

  /** Rows that are multiplied as they are. */
  public RowFormat(DType type, long columns) {
    this(type, columns, false);
  }

  /** Rows of reals that travel in a type: as {@link DType#I8} in blocks. */
  public static RowFormat onTheWire(DType type, long columns) {
    return new RowFormat(type, columns, !type.isReal());
  }

  /**
   * Partial sums that travel in a type.
   *
   * @throws IllegalArgumentException if they cannot
   */
  public static RowFormat ofPartialSums(DType type, long columns) {
    if (type == DType.F16) {
      throw new IllegalArgumentException(
          "partial sums travel as F32, BF16 or I8, not as F16, whose range is too small for them");
    }
    if (type == DType.I8 && columns == 1) {
      throw new IllegalArgumentException(
          "partial sums of one column travel as F32 or BF16: with its scale, I8 takes more");
    }
    return onTheWire(type, columns);
  }

  /** The size of a row in bytes. */
  public long bytes() {
    if (type.isReal()) {
      return Math.multiplyExact(columns, (long) type.bytes());
    }
    if (inBlocks) {
      return Math.addExact(columns, Math.ceilDiv(columns, BLOCK) * Float.BYTES);
    }
    return Math.ceilDiv(Math.addExact(scaleAt(), (long) Float.BYTES), LINE) * LINE;
  }

  /**
   * The scales of rows, as a column.
   *
   * @throws IllegalStateException if they have none
   */
  public Matrix scales(Block rows) {
    if (type.isReal() || inBlocks) {
      throw new IllegalStateException("rows of %s have no scales of their own".formatted(type));
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
