// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.layer.Integers;
import java.util.Locale;

/** Elements that are a function of a seed and their indices. */
public enum Values {
  /** From -3 to 3: products of matrices of these are exact. */
  INTEGERS {
    @Override
    float at(long seed, long row, long column) {
      return Integers.value(seed, row, column);
    }
  },

  /** Evenly spread from -1 to 1, rounded to the type of the matrix. */
  REALS {
    @Override
    float at(long seed, long row, long column) {
      // The mixing function of SplittableRandom, whose upper bits are the best.
      long z = seed * 0x9E3779B97F4A7C15L + row * 0xBF58476D1CE4E5B9L + column;
      z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      return (int) ((z ^ (z >>> 31)) >> 39) * 0x1p-24f;
    }
  };

  /** Whole numbers up to this are floats, and so are all sums up to it. */
  static final long EXACT = 1 << 24;

  /** The element of a matrix. */
  abstract float at(long seed, long row, long column);

  /**
   * Fills rows of the matrix of a seed.
   *
   * @param firstRow which row of it is the first of these
   */
  void fill(Matrix rows, long seed, long firstRow) {
    for (long row = 0; row < rows.rows(); row++) {
      for (long column = 0; column < rows.columns(); column++) {
        rows.set(row, column, at(seed, firstRow + row, column));
      }
    }
  }

  /**
   * Throws unless products over this many columns are as exact as promised.
   *
   * @throws IllegalArgumentException with what to do instead
   */
  void check(long k) {
    long most = EXACT / ((long) Integers.LARGEST * Integers.LARGEST);
    if (this == INTEGERS && k > most) {
      throw new IllegalArgumentException(
          "sums of %d products of integers may be too large to be exact in F32: take at most %d columns of A, or --values reals"
              .formatted(k, most));
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
