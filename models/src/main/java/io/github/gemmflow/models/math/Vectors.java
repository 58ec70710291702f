// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.math;

/** Loops over arrays of floats that the compiler vectorises. */
public final class Vectors {
  /** {@code exp(x) = exp(x / 1024)^1024}: ten squarings. */
  private static final double STEP = 1.0 / 1024;

  /** What is less likely than this is not likely at all: {@code exp(-80)} is {@code 2e-35}. */
  private static final double LEAST = -80;

  private Vectors() {}

  /**
   * Adds some rows of a matrix, each times its factor, to a part of a row: four of them, from one
   * on, or as many as there are. Rows are arrays of their own, read and written at the same index:
   * of others the compiler would fear that they overlap, and multiply one by one.
   *
   * @param factors one for each row of the matrix
   * @param scale of all factors
   * @param row the first
   * @param rows those from this on do not count
   */
  public static void addFour(
      float[] factors,
      float scale,
      int row,
      int rows,
      float[][] matrix,
      float[] sum,
      int from,
      int to) {
    int last = rows - 1;
    float a = scale * factors[row];
    float b = row + 1 < rows ? scale * factors[row + 1] : 0;
    float c = row + 2 < rows ? scale * factors[row + 2] : 0;
    float d = row + 3 < rows ? scale * factors[row + 3] : 0;
    float[] first = matrix[row];
    float[] second = matrix[Math.min(row + 1, last)];
    float[] third = matrix[Math.min(row + 2, last)];
    float[] fourth = matrix[Math.min(row + 3, last)];
    for (int i = from; i < to; i++) {
      sum[i] += a * first[i] + b * second[i] + c * third[i] + d * fourth[i];
    }
  }

  /** Replaces scores by their exponentials, divided by the sum of those. */
  public static void softmax(float[] scores, int begin, int end) {
    float most = Float.NEGATIVE_INFINITY;
    for (int t = begin; t < end; t++) {
      most = Math.max(most, scores[t]);
    }
    for (int t = begin; t < end; t++) {
      scores[t] = (float) exp(scores[t] - most);
    }
    double sum = 0;
    for (int t = begin; t < end; t++) {
      sum += scores[t];
    }
    float factor = (float) (1 / sum);
    for (int t = begin; t < end; t++) {
      scores[t] *= factor;
    }
  }

  /** The exponential of a number that is not above 0, without a branch and without a table. */
  static double exp(double x) {
    double y = STEP * Math.max(x, LEAST);
    double cubic = 1.0 / 6 + y * (1.0 / 24 + y * (1.0 / 120 + y * (1.0 / 720)));
    double e = 1 + y * (1 + y * (1.0 / 2 + y * cubic));
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    return e * e;
  }
}
