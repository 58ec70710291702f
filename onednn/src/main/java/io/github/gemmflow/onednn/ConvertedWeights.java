// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;

/** Weights of a type that some machine of a job has no instructions for, kept in F32. */
final class ConvertedWeights extends PackedWeights {
  private final OneDnnWeights inF32;

  private ConvertedWeights(Kernel kernel, DType type, WeightLayout layout, OneDnnWeights inF32) {
    super(kernel, type, layout, inF32.inputs(), inF32.outputs());
    this.inF32 = inF32;
  }

  static ConvertedWeights pack(Kernel kernel, Dnnl dnnl, Int8Columns source) {
    try (Arena temporary = Arena.ofConfined()) {
      Matrix reals = source.toReals(temporary);
      return new ConvertedWeights(
          kernel,
          DType.I8,
          source.layout(),
          OneDnnWeights.pack(kernel, dnnl, reals, WeightLayout.IN_OUT));
    }
  }

  static ConvertedWeights pack(Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout) {
    try (Arena temporary = Arena.ofConfined()) {
      Matrix converted =
          Matrix.allocate(DType.F32, source.rows(), source.columns(), temporary).copyFrom(source);
      return new ConvertedWeights(
          kernel, source.type(), layout, OneDnnWeights.pack(kernel, dnnl, converted, layout));
    }
  }

  OneDnnWeights inF32() {
    return inF32;
  }

  @Override
  protected void free() {
    inF32.close();
  }
}
