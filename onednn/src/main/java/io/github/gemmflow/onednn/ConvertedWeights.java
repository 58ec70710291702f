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

/**
 * Weights of a type that some machine of a job has no instructions for, multiplied in F32. Those in
 * int8 stay as they are where oneDNN can read them so: few rows take as long as reading the weights
 * does. Others are kept in F32.
 */
final class ConvertedWeights extends PackedWeights {
  private final PanelWeights forF32;

  private ConvertedWeights(Kernel kernel, DType type, WeightLayout layout, PanelWeights forF32) {
    super(kernel, type, layout, forF32.inputs(), forF32.outputs());
    this.forF32 = forF32;
  }

  static ConvertedWeights pack(Kernel kernel, Dnnl dnnl, Int8Columns source) {
    return new ConvertedWeights(
        kernel, DType.I8, source.layout(), packForF32(kernel, dnnl, source));
  }

  /** In int8 wherever oneDNN is fast in F32: the same instructions multiply both. */
  private static PanelWeights packForF32(Kernel kernel, Dnnl dnnl, Int8Columns source) {
    if (dnnl.isa().isFastFor(DType.F32)) {
      return new Int8Weights(kernel, dnnl, DType.F32, source);
    }
    try (Arena temporary = Arena.ofConfined()) {
      return OneDnnWeights.pack(kernel, dnnl, source.toReals(temporary), WeightLayout.IN_OUT);
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

  /** What rows in F32 are multiplied with. */
  PanelWeights forF32() {
    return forF32;
  }

  @Override
  protected void free() {
    forF32.close();
  }
}
