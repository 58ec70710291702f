// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;

/** Weights of a type that this machine has no instructions for, kept in F32. */
final class ConvertedWeights extends PackedWeights {
  private final OneDnnWeights inF32;

  private ConvertedWeights(Kernel kernel, DType type, OneDnnWeights inF32) {
    super(kernel, type, inF32.layout(), inF32.inputs(), inF32.outputs());
    this.inF32 = inF32;
  }

  static ConvertedWeights pack(Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout) {
    try (Arena temporary = Arena.ofConfined()) {
      Matrix converted =
          Matrix.allocate(DType.F32, source.rows(), source.columns(), temporary).copyFrom(source);
      return new ConvertedWeights(
          kernel, source.type(), OneDnnWeights.pack(kernel, dnnl, converted, layout));
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
