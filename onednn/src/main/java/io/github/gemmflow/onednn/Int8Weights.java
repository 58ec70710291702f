// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Weights in int8, and a scale for each column; for rows in int8 or F32. */
final class Int8Weights extends PanelWeights {
  private final MemorySegment scales;

  Int8Weights(Kernel kernel, Dnnl dnnl, DType rowType, Int8Columns source) {
    super(kernel, rowType, DType.I8, source.layout(), source.inputs(), source.outputs());
    this.scales = arena().allocate(outputs() * Float.BYTES, ALIGNMENT);
    pack(dnnl, (panel, packed, target) -> pack(source, panel, packed, target));
  }

  private void pack(Int8Columns source, int panel, Dnnl.Layout packed, MemorySegment target) {
    int width = (int) panels().width(panel);
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment plain = temporary.allocate(inputs() * width, ALIGNMENT);
      float[] columnScales = new float[width];
      source.read(panels().begin(panel), width, plain, columnScales);
      long at = panels().begin(panel) * Float.BYTES;
      MemorySegment.copy(columnScales, 0, scales, JAVA_FLOAT, at, width);
      packed.pack(plain, width, 1, target);
    }
  }

  @Override
  long scalesAddress(int panel) {
    return scales.address() + panels().begin(panel) * Float.BYTES;
  }
}
