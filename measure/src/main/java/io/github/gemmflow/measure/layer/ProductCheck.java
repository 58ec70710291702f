// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.matrix.Matrix;
import java.util.SplittableRandom;

/**
 * Check whether a matrix is exactly the product of two matrices of {@link Integers}: C x = A (B x),
 * in whole numbers, for a vector x of random numbers above 0 (Freivalds' check). It looks at every
 * element, in far less time than the product takes. No single wrong element passes, and several
 * pass only if their errors happen to cancel out.
 */
final class ProductCheck {
  private final long aSeed;
  private final int[] inner;
  private final long[] x;
  private final long[] bx;

  /**
   * A check of some columns of a product.
   *
   * @param inner the columns of A, and rows of B, that are multiplied
   */
  ProductCheck(long aSeed, long bSeed, int[] inner, long firstColumn, int columns) {
    this.aSeed = aSeed;
    this.inner = inner;
    this.x = new SplittableRandom(aSeed ^ bSeed).longs(columns, 1, 1 << 16).toArray();
    this.bx = new long[inner.length];
    for (int i = 0; i < inner.length; i++) {
      for (int column = 0; column < columns; column++) {
        bx[i] += Integers.value(bSeed, inner[i], firstColumn + column) * x[column];
      }
    }
  }

  /** Whether these are rows of the product, from a row on. */
  boolean passes(Matrix c, long firstRow) {
    for (long row = 0; row < c.rows(); row++) {
      long expected = 0;
      for (int i = 0; i < inner.length; i++) {
        expected += Integers.value(aSeed, firstRow + row, inner[i]) * bx[i];
      }
      long sum = 0;
      for (int column = 0; column < x.length; column++) {
        float element = c.get(row, column);
        long integer = (long) element;
        if (integer != element) {
          return false;
        }
        sum += integer * x[column];
      }
      if (sum != expected) {
        return false;
      }
    }
    return true;
  }
}
