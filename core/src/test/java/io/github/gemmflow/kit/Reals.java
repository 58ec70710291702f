// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/** Matrices of random reals, a function of a seed. */
public final class Reals {
  private Reals() {}

  public static Matrix matrix(DType type, long rows, long columns, long seed, Arena arena) {
    SplittableRandom random = new SplittableRandom(seed);
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        matrix.set(row, column, (float) random.nextDouble(-1, 1));
      }
    }
    return matrix;
  }
}
