// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.matrix.Matrix;

/** Normalisation of a row to a mean square of 1, then each column by a learned factor. */
final class RmsNorm {
  private final float[] scale;
  private final float epsilon;
  private final float[] row;

  RmsNorm(float[] scale, float epsilon) {
    this.scale = scale;
    this.epsilon = epsilon;
    this.row = new float[scale.length];
  }

  /** Norms one row of {@code from} into one row of {@code to}, in the type of each. */
  void apply(Matrix from, long fromRow, Matrix to, long toRow) {
    from.getRow(fromRow, row);
    double squares = 0;
    for (float x : row) {
      squares += x * x;
    }
    float factor = (float) (1 / Math.sqrt(squares / row.length + epsilon));
    for (int i = 0; i < row.length; i++) {
      row[i] *= factor * scale[i];
    }
    to.setRow(toRow, row);
  }

  /** Norms all rows. */
  void apply(Matrix from, Matrix to) {
    for (long i = 0; i < from.rows(); i++) {
      apply(from, i, to, i);
    }
  }
}
