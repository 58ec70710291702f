// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.Step;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.MemorySegment;

/** Normalisation of values to a mean square of 1, then each by a learned factor. */
final class RmsNorm {
  private final float[] scale;
  private final float epsilon;
  private final float[] row;
  private final Matrix rowAsMatrix;

  RmsNorm(float[] scale, float epsilon) {
    this.scale = scale;
    this.epsilon = epsilon;
    this.row = new float[scale.length];
    this.rowAsMatrix = Matrix.wrap(MemorySegment.ofArray(row), DType.F32, 1, row.length);
  }

  /** Norms the values that begin at {@code first}, in place. May be called by several threads. */
  void apply(float[] values, int first) {
    double squares = 0;
    for (int i = 0; i < scale.length; i++) {
      squares += values[first + i] * values[first + i];
    }
    float factor = (float) (1 / Math.sqrt(squares / scale.length + epsilon));
    for (int i = 0; i < scale.length; i++) {
      values[first + i] *= factor * scale[i];
    }
  }

  /** Norms one row into a row of the input of a step, in its type. */
  void apply(Matrix from, long fromRow, Step step, long toRow) {
    from.getRow(fromRow, row);
    apply(row, 0);
    step.write(toRow, rowAsMatrix);
  }

  /** Norms all rows. */
  void apply(Matrix from, Step step) {
    for (long i = 0; i < from.rows(); i++) {
      apply(from, i, step, i);
    }
  }
}
