// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Weights of a linear layer as a checkpoint has them, {@code [out, in]}, or some of them.
 *
 * @param scales one for each output, if the values are int8
 */
public record Linear(Matrix values, @Nullable Matrix scales) {
  /** Some outputs, and all inputs. */
  public Linear outputs(long begin, long end) {
    return new Linear(values.rows(begin, end), scales == null ? null : scales.rows(begin, end));
  }

  /** All outputs, and some inputs. */
  public Linear inputs(long begin, long end) {
    return new Linear(values.columns(begin, end), scales);
  }

  /** Packing reads the mapped file in place, unless elements must be converted first. */
  public PackedWeights pack(World world, DType type) {
    if (scales == null) {
      return world.pack(values, WeightLayout.OUT_IN, type);
    }
    if (!type.isReal()) {
      return world.pack(values, scales, WeightLayout.OUT_IN);
    }
    try (Arena arena = Arena.ofConfined()) {
      return world.pack(reals(scales, arena), WeightLayout.OUT_IN, type);
    }
  }

  /** What int8 and scales stand for. */
  private Matrix reals(Matrix factors, Arena arena) {
    Matrix reals = Matrix.allocate(DType.F32, values.rows(), values.columns(), arena);
    float[] row = new float[(int) values.columns()];
    for (long i = 0; i < values.rows(); i++) {
      values.getRow(i, row);
      float factor = factors.get(i, 0);
      for (int j = 0; j < row.length; j++) {
        row[j] *= factor;
      }
      reals.setRow(i, row);
    }
    return reals;
  }
}
