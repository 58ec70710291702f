// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

/**
 * Loss of an element of a product where rows of A and columns of B are rounded to int8: each factor
 * is off by at most half its scale, which is the largest magnitude divided by 127.
 */
final class Int8Loss {
  /** Half a scale, as a share of the largest magnitude; a little more, because scales are F32. */
  private static final double HALF = 1 / 253.99;

  private final double[] rowSums;
  private final double[] rowSteps;
  private final double[] columnSums;
  private final double[] columnSteps;
  private final int k;

  /**
   * Of a product.
   *
   * @param rows those of B
   */
  Int8Loss(ShardedMatrix a, float[][] rows) {
    this.k = rows.length;
    this.rowSums = new double[Math.toIntExact(a.rows())];
    this.rowSteps = new double[rowSums.length];
    for (int i = 0; i < rowSums.length; i++) {
      for (float value : a.row(i)) {
        rowSums[i] += Math.abs(value);
        rowSteps[i] = Math.max(rowSteps[i], Math.abs(value) * HALF);
      }
    }
    this.columnSums = new double[k == 0 ? 0 : rows[0].length];
    this.columnSteps = new double[columnSums.length];
    for (float[] row : rows) {
      for (int j = 0; j < row.length; j++) {
        columnSums[j] += Math.abs(row[j]);
        columnSteps[j] = Math.max(columnSteps[j], Math.abs(row[j]) * HALF);
      }
    }
  }

  double of(int row, int column) {
    return rowSums[row] * columnSteps[column]
        + columnSums[column] * rowSteps[row]
        + k * rowSteps[row] * columnSteps[column];
  }
}
