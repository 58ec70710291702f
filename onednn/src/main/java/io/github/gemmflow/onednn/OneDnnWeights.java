// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Weights of real numbers. */
final class OneDnnWeights extends PanelWeights {
  private OneDnnWeights(
      Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout, long inputs, long outputs) {
    super(kernel, source.type(), source.type(), layout, inputs, outputs);
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment plain = nativeMemory(source, temporary);
      boolean outIn = layout == WeightLayout.OUT_IN;
      long inputStride = outIn ? 1 : source.stride();
      long outputStride = outIn ? source.stride() : 1;
      pack(
          dnnl,
          (panel, packed, target) -> {
            long first = panels().begin(panel) * outputStride * type().bytes();
            packed.pack(plain.asSlice(first), inputStride, outputStride, target);
          });
    }
  }

  static OneDnnWeights pack(Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout) {
    boolean outIn = layout == WeightLayout.OUT_IN;
    long inputs = outIn ? source.columns() : source.rows();
    long outputs = outIn ? source.rows() : source.columns();
    return new OneDnnWeights(kernel, dnnl, source, layout, inputs, outputs);
  }

  private static MemorySegment nativeMemory(Matrix source, Arena arena) {
    MemorySegment memory = source.memory();
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory of the weights was freed");
    }
    return memory.isNative() ? memory : arena.allocate(memory.byteSize()).copyFrom(memory);
  }
}
