// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import io.github.gemmflow.matrix.Matrix;

/** Normalisation of a row to mean 0 and variance 1, then a learned line for each column. */
final class LayerNorm {
  private static final double EPSILON = 1e-12;

  private final float[] factors;
  private final float[] offsets;

  private LayerNorm(float[] factors, float[] offsets) {
    this.factors = factors;
    this.offsets = offsets;
  }

  static LayerNorm of(OnnxWeights weights, String name) {
    return new LayerNorm(weights.floats(name + ".weight"), weights.floats(name + ".bias"));
  }

  /** Norms all rows in place. */
  void apply(Matrix rows) {
    float[] row = new float[factors.length];
    for (long i = 0; i < rows.rows(); i++) {
      rows.getRow(i, row);
      apply(row);
      rows.setRow(i, row);
    }
  }

  private void apply(float[] row) {
    double sum = 0;
    for (float x : row) {
      sum += x;
    }
    double mean = sum / row.length;
    double squares = 0;
    for (float x : row) {
      squares += (x - mean) * (x - mean);
    }
    double factor = 1 / Math.sqrt(squares / row.length + EPSILON);
    for (int i = 0; i < row.length; i++) {
      row[i] = (float) ((row[i] - mean) * factor * factors[i] + offsets[i]);
    }
  }
}
