// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.kernel.WeightLayout;
import java.util.stream.IntStream;

/**
 * A x B in doubles, by a loop that anybody can check: nothing of the operators or kernels has a
 * part in it.
 */
public final class PlainProduct implements Expected {
  /** Rows of A that share one pass over B. */
  private static final int BLOCK = 8;

  private final ShardedMatrix a;
  private final float[][] b;
  private final int columns;

  /**
   * A product; rows of A are read when they are needed.
   *
   * @param b K rows of N
   */
  PlainProduct(ShardedMatrix a, float[][] b) {
    this.a = a;
    this.b = b;
    this.columns = b.length == 0 ? 0 : b[0].length;
  }

  /** B as K rows of N. */
  static float[][] read(ShardedMatrix b, WeightLayout layout) {
    float[][] rows =
        IntStream.range(0, Math.toIntExact(b.rows()))
            .parallel()
            .mapToObj(b::row)
            .toArray(float[][]::new);
    return layout == WeightLayout.IN_OUT ? rows : transposed(rows, Math.toIntExact(b.columns()));
  }

  private static float[][] transposed(float[][] rows, int columns) {
    float[][] result = new float[columns][rows.length];
    for (int row = 0; row < rows.length; row++) {
      for (int column = 0; column < columns; column++) {
        result[column][row] = rows[row][column];
      }
    }
    return result;
  }

  @Override
  public double[][] rows(long first, int count) {
    double[][] result = new double[count][columns];
    IntStream.rangeClosed(0, (count - 1) / BLOCK)
        .parallel()
        .forEach(i -> block(first, i * BLOCK, Math.min(count, (i + 1) * BLOCK), result));
    return result;
  }

  private void block(long first, int from, int to, double[][] result) {
    float[][] rows = new float[to - from][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = a.row(first + from + i);
    }
    for (int k = 0; k < b.length; k++) {
      for (int i = 0; i < rows.length; i++) {
        add(result[from + i], rows[i][k], b[k]);
      }
    }
  }

  private static void add(double[] sums, double factor, float[] values) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += factor * values[i];
    }
  }
}
