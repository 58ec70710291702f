// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.matrix.Matrix;
import java.util.stream.IntStream;

/**
 * Matrices of small integers that are a function of a seed and their indices: products of them are
 * exact, and every rank knows all elements of all ranks.
 */
public final class Integers {
  /** No value is larger, nor smaller than its opposite. */
  public static final int LARGEST = 3;

  private Integers() {}

  /** An integer from -3 to 3. */
  public static int value(long seed, long row, long column) {
    long h = seed * 0x9E3779B97F4A7C15L + row * 0xBF58476D1CE4E5B9L + column * 0x94D049BB133111EBL;
    h = (h ^ (h >>> 31)) * 0xD6E8FEB86659FD93L;
    return (int) Math.floorMod(h ^ (h >>> 32), 2L * LARGEST + 1) - LARGEST;
  }

  /** Fills a part of the matrix of a seed. */
  public static void fill(Matrix part, long seed, long firstRow, long firstColumn) {
    for (long row = 0; row < part.rows(); row++) {
      for (long column = 0; column < part.columns(); column++) {
        part.set(row, column, value(seed, firstRow + row, firstColumn + column));
      }
    }
  }

  /** Whether a matrix is just that of a seed. */
  public static boolean isFilled(Matrix matrix, long seed) {
    for (long row = 0; row < matrix.rows(); row++) {
      for (long column = 0; column < matrix.columns(); column++) {
        if (matrix.get(row, column) != value(seed, row, column)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether {@code c} is the product of the matrices of two seeds, or some rows of it. */
  static boolean isProduct(Matrix c, long aSeed, long firstRow, long bSeed, long k) {
    int[] inner = IntStream.range(0, Math.toIntExact(k)).toArray();
    int columns = Math.toIntExact(c.columns());
    return new ProductCheck(aSeed, bSeed, inner, 0, columns).passes(c, firstRow);
  }
}
