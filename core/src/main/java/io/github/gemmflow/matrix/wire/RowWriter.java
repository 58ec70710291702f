// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix.wire;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;

/**
 * Writer of reals into memory from which they travel, in any {@link RowFormat}. Not thread-safe.
 */
public final class RowWriter {
  private final Quantizer quantizer;
  private final WireRows wire;
  private final Floats floats;
  private final float[] values;

  /**
   * For rows of up to some length.
   *
   * @param most how many elements
   */
  public RowWriter(int most) {
    this.quantizer = new Quantizer(most);
    this.wire = new WireRows(most);
    this.floats = new Floats(most);
    this.values = new float[most];
  }

  /** Throws if a matrix is not of the shape of the rows that it is to be written to. */
  public static void checkShape(Matrix a, long rows, long columns) {
    if (a.rows() != rows || a.columns() != columns) {
      throw new IllegalArgumentException(
          "the matrix to write must be %d x %d, not %s".formatted(rows, columns, a));
    }
  }

  /**
   * Writes rows.
   *
   * @param a reals of any type
   * @param target as many rows, of as many columns
   */
  public void write(Matrix a, RowFormat format, Block target) {
    if (format.inBlocks()) {
      writeBlocks(a, format, target);
      return;
    }
    DType type = format.type();
    Matrix rows =
        Matrix.wrap(
            target.span(), type, target.rows(), a.columns(), target.stride() / type.bytes());
    if (type.isReal()) {
      rows.copyFrom(a);
    } else {
      quantizer.round(a, rows, format.scales(target));
    }
  }

  private void writeBlocks(Matrix a, RowFormat format, Block target) {
    int columns = Math.toIntExact(a.columns());
    // Rows of nothing may lie anywhere.
    for (long row = 0; row < a.rows() && columns > 0; row++) {
      floats.load(a.type(), a.memory(), row * a.stride() * a.type().bytes(), values, columns);
      long at = target.offset() + row * target.stride();
      wire.store(format.type(), target.memory(), at, 0, values, columns);
    }
  }
}
