// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;

/** Moves rows between matrices of any type and arrays, on which plain loops are fast. */
final class Rows {
  private final Floats floats;

  /**
   * For rows of up to so many columns.
   *
   * @param columns how many
   */
  Rows(int columns) {
    this.floats = new Floats(columns);
  }

  void load(Matrix from, long row, float[] to) {
    floats.load(from.type(), from.memory(), offset(from, row), to, (int) from.columns());
  }

  void store(float[] from, Matrix to, long row) {
    floats.store(to.type(), to.memory(), offset(to, row), from, (int) to.columns());
  }

  private static long offset(Matrix matrix, long row) {
    return row * matrix.stride() * matrix.type().bytes();
  }
}
