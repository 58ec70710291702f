// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/**
 * Matrices of small integers that are a function of a seed and their indices, so that every rank
 * can compute any element of any rank, and products are exact.
 */
public final class Exact {
  private static final int LARGEST = 4;

  private Exact() {}

  /** An integer from -4 to 4. */
  public static int value(long seed, long row, long column) {
    long h = seed * 0x9E3779B97F4A7C15L + row * 0xBF58476D1CE4E5B9L + column * 0x94D049BB133111EBL;
    h ^= h >>> 31;
    h *= 0xD6E8FEB86659FD93L;
    h ^= h >>> 32;
    return (int) Math.floorMod(h, 2L * LARGEST + 1) - LARGEST;
  }

  /** Fills a matrix that is some rows of the matrix of a seed. */
  public static void fill(Matrix part, long seed, long firstRow) {
    fill(part, seed, firstRow, 0);
  }

  /** Fills a matrix that is a part of the matrix of a seed. */
  public static void fill(Matrix part, long seed, long firstRow, long firstColumn) {
    for (long row = 0; row < part.rows(); row++) {
      for (long column = 0; column < part.columns(); column++) {
        part.set(row, column, value(seed, firstRow + row, firstColumn + column));
      }
    }
  }

  /** The matrix of a seed. */
  public static Matrix matrix(DType type, long rows, long columns, long seed, Arena arena) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    fill(matrix, seed, 0);
    return matrix;
  }

  /** A matrix with rows and columns exchanged. */
  public static Matrix transposed(Matrix matrix, Arena arena) {
    Matrix result = Matrix.allocate(matrix.type(), matrix.columns(), matrix.rows(), arena);
    for (long row = 0; row < matrix.rows(); row++) {
      for (long column = 0; column < matrix.columns(); column++) {
        result.set(column, row, matrix.get(row, column));
      }
    }
    return result;
  }

  /** Throws if a matrix is not that of a seed. */
  public static void check(Matrix matrix, long seed) {
    check(matrix, seed, 0);
  }

  /** The same for a part whose row 0 is a later row of the matrix. */
  public static void check(Matrix part, long seed, long firstRow) {
    for (long row = 0; row < part.rows(); row++) {
      for (long column = 0; column < part.columns(); column++) {
        float expected = value(seed, firstRow + row, column);
        compare("A", firstRow + row, column, expected, part.get(row, column));
      }
    }
  }

  /** What an epilogue makes of a sum in a column. */
  @FunctionalInterface
  public interface Finish {
    long apply(long sum, long column);
  }

  /** Throws if {@code c} is not the product of the matrices of two seeds. */
  public static void checkProduct(Matrix c, long aSeed, long bSeed, long k) {
    checkProduct(c, aSeed, bSeed, k, (sum, column) -> sum);
  }

  /** Throws if {@code c} is not what becomes of the product of the matrices of two seeds. */
  public static void checkProduct(Matrix c, long aSeed, long bSeed, long k, Finish finish) {
    int[] b = new int[(int) (k * c.columns())];
    for (int i = 0; i < k; i++) {
      for (int j = 0; j < c.columns(); j++) {
        b[(int) (i * c.columns() + j)] = value(bSeed, i, j);
      }
    }
    long[] sums = new long[(int) c.columns()];
    for (long row = 0; row < c.rows(); row++) {
      java.util.Arrays.fill(sums, 0);
      for (int i = 0; i < k; i++) {
        int a = value(aSeed, row, i);
        for (int j = 0; j < sums.length; j++) {
          sums[j] += (long) a * b[i * sums.length + j];
        }
      }
      for (int j = 0; j < sums.length; j++) {
        float expected = c.type().round((float) finish.apply(sums[j], j));
        compare("C", row, j, expected, c.get(row, j));
      }
    }
  }

  static void compare(String what, long row, long column, float expected, float actual) {
    if (expected != actual) {
      throw new AssertionError(
          "%s[%d, %d] is %s, not %s".formatted(what, row, column, actual, expected));
    }
  }
}
