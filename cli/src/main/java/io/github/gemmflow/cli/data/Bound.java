// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.matrix.DType;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Error bound of an element of a product. */
public final class Bound {
  /** Every element is exact, or, where it is rounded to a shorter type, rounded once. */
  public static final Bound EXACT = new Bound(0, new double[0], new double[0], null);

  /** Rounding of a sum in F32, {@code k} times, in any order; 1.13 pays for the higher powers. */
  private static final double UNIT = 1.13 * 0x1p-24;

  private final double factor;
  private final double[] rowNorms;
  private final double[] columnNorms;
  private final @Nullable Tolerance tolerance;
  private final @Nullable Int8Loss int8;

  private Bound(double factor, double[] rowNorms, double[] columnNorms, @Nullable Int8Loss int8) {
    this.factor = factor;
    this.rowNorms = rowNorms;
    this.columnNorms = columnNorms;
    this.tolerance = null;
    this.int8 = int8;
  }

  private Bound(Tolerance tolerance) {
    this.factor = 0;
    this.rowNorms = new double[0];
    this.columnNorms = new double[0];
    this.tolerance = tolerance;
    this.int8 = null;
  }

  /** The bound that somebody has given. */
  static Bound of(Tolerance tolerance) {
    return new Bound(tolerance);
  }

  /**
   * The bound for the product of two matrices: none, if they hold integers small enough.
   *
   * @param rows those of B
   * @param rounds whether rows of A and columns of B were rounded to int8
   */
  static Bound of(ShardedMatrix a, float[][] rows, boolean rounds) {
    int k = rows.length;
    double[] columnNorms = columnNorms(rows);
    double[] rowNorms = new double[Math.toIntExact(a.rows())];
    double aMost = 0;
    for (int i = 0; i < rowNorms.length; i++) {
      float[] row = a.row(i);
      rowNorms[i] = norm(row);
      aMost = Math.max(aMost, mostIfWhole(row));
    }
    double bMost = Arrays.stream(rows).mapToDouble(Bound::mostIfWhole).max().orElse(0);
    return aMost * bMost * k <= Values.EXACT && !rounds
        ? EXACT
        : new Bound(UNIT * (k + 2), rowNorms, columnNorms, rounds ? new Int8Loss(a, rows) : null);
  }

  /** The largest of whole numbers, infinity if they are not. */
  private static double mostIfWhole(float[] values) {
    double most = 0;
    for (float value : values) {
      if (value != Math.rint(value)) {
        return Double.POSITIVE_INFINITY;
      }
      most = Math.max(most, Math.abs(value));
    }
    return most;
  }

  private static double norm(float[] values) {
    double sum = 0;
    for (float value : values) {
      sum += (double) value * value;
    }
    return Math.sqrt(sum);
  }

  private static double[] columnNorms(float[][] rows) {
    double[] sums = new double[rows.length == 0 ? 0 : rows[0].length];
    for (float[] row : rows) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += (double) row[i] * row[i];
      }
    }
    return IntStream.range(0, sums.length).mapToDouble(i -> Math.sqrt(sums[i])).toArray();
  }

  public boolean isExact() {
    return factor == 0 && tolerance == null;
  }

  @Override
  public String toString() {
    return tolerance == null ? "the error bound" : tolerance.toString();
  }

  /**
   * The most that an element may be off. The sum of the magnitudes of its products is at most the
   * product of the norms of its row and its column (Cauchy and Schwarz).
   */
  double allowed(long row, int column, double expected, DType type) {
    if (tolerance != null) {
      return tolerance.allowed(expected);
    }
    double rounding = Math.abs(expected) * roundoff(type);
    if (isExact()) {
      return type == DType.F32 ? 0 : rounding;
    }
    double lost = int8 == null ? 0 : int8.of(Math.toIntExact(row), column);
    return factor * rowNorms[Math.toIntExact(row)] * columnNorms[column] + rounding + lost;
  }

  /** Half the distance of neighbours, as a share of them. */
  private static double roundoff(DType type) {
    return switch (type) {
      case F32 -> 0x1p-24;
      case F16 -> 0x1p-11;
      case BF16 -> 0x1p-8;
      case I8 -> throw new IllegalArgumentException("a product is never of I8");
    };
  }
}
