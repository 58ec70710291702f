// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.LargePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Weights in int8 in panels of columns, each packed for itself, and a scale for each column. */
final class Int8Weights extends PackedWeights {
  private static final long ALIGNMENT = 64;

  private final Panels panels;
  private final Arena arena = Arena.ofShared();
  private final Dnnl.Layout[] layouts;
  private final long[] addresses;
  private final MemorySegment scales;

  Int8Weights(Kernel kernel, Dnnl dnnl, Int8Columns source) {
    super(kernel, DType.I8, source.layout(), source.inputs(), source.outputs());
    this.panels = new Panels(outputs());
    this.layouts = new Dnnl.Layout[inputs() == 0 ? 0 : panels.shapes()];
    this.addresses = new long[panels.count()];
    this.scales = arena.allocate(Math.max(1, outputs()) * Float.BYTES, ALIGNMENT);
    try {
      pack(dnnl, source);
    } catch (RuntimeException | Error e) {
      free();
      throw e;
    }
  }

  private void pack(Dnnl dnnl, Int8Columns source) {
    long bytes = 0;
    for (int shape = 0; shape < layouts.length; shape++) {
      layouts[shape] = dnnl.layout(DType.I8, inputs(), panels.width(panels.firstOf(shape)));
    }
    for (int panel = 0; panel < addresses.length && layouts.length > 0; panel++) {
      bytes += aligned(layouts[panels.shape(panel)].bytes());
    }
    MemorySegment memory = LargePages.allocate(bytes, arena);
    long next = 0;
    for (int panel = 0; panel < addresses.length && layouts.length > 0; panel++) {
      Dnnl.Layout packed = layouts[panels.shape(panel)];
      MemorySegment target = memory.asSlice(next, packed.bytes());
      pack(source, panel, packed, target);
      addresses[panel] = target.address();
      next += aligned(packed.bytes());
    }
  }

  private void pack(Int8Columns source, int panel, Dnnl.Layout packed, MemorySegment target) {
    int width = (int) panels.width(panel);
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment plain = temporary.allocate(inputs() * width, ALIGNMENT);
      float[] columnScales = new float[width];
      source.read(panels.begin(panel), width, plain, columnScales);
      long at = panels.begin(panel) * Float.BYTES;
      MemorySegment.copy(columnScales, 0, scales, ValueLayout.JAVA_FLOAT, at, width);
      packed.pack(plain, width, 1, target);
    }
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  Panels panels() {
    return panels;
  }

  /** How the panels of a shape are stored. */
  Dnnl.Layout layout(int shape) {
    return layouts[shape];
  }

  /** How many shapes of panels there are to multiply with. */
  int shapes() {
    return layouts.length;
  }

  /** Where a panel begins. */
  long address(int panel) {
    return addresses[panel];
  }

  /** Where the scales of a panel begin. */
  long scalesAddress(int panel) {
    return scales.address() + panels.begin(panel) * Float.BYTES;
  }

  @Override
  protected void free() {
    arena.close();
    for (Dnnl.Layout layout : layouts) {
      if (layout != null) {
        layout.close();
      }
    }
  }
}
