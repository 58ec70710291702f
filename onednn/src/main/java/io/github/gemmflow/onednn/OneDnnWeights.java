// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.LargePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Weights in panels of columns, each packed for itself. How they are cut depends on nothing but
 * their number, so that every thread count and every operator computes the same bits from the same
 * copy.
 */
final class OneDnnWeights extends PackedWeights {
  private static final long ALIGNMENT = 64;

  private final Panels panels;
  private final Arena arena = Arena.ofShared();
  private final Dnnl.Layout[] layouts;
  private final long[] addresses;

  private OneDnnWeights(
      Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout, long inputs, long outputs) {
    super(kernel, source.type(), layout, inputs, outputs);
    this.panels = new Panels(outputs);
    this.layouts = new Dnnl.Layout[panels.shapes()];
    this.addresses = new long[panels.count()];
    try (Arena temporary = Arena.ofConfined()) {
      MemorySegment plain = nativeMemory(source, temporary);
      long stride = source.stride();
      boolean outIn = layout == WeightLayout.OUT_IN;
      for (int shape = 0; shape < layouts.length && inputs > 0; shape++) {
        layouts[shape] = dnnl.layout(type(), inputs, panels.width(panels.firstOf(shape)));
      }
      MemorySegment memory = LargePages.allocate(bytes(), arena);
      long next = 0;
      for (int panel = 0; panel < addresses.length && inputs > 0; panel++) {
        Dnnl.Layout packed = layouts[panels.shape(panel)];
        MemorySegment target = memory.asSlice(next, packed.bytes());
        long first = panels.begin(panel) * (outIn ? stride : 1) * type().bytes();
        packed.pack(plain.asSlice(first), outIn ? 1 : stride, outIn ? stride : 1, target);
        addresses[panel] = target.address();
        next += aligned(packed.bytes());
      }
    } catch (RuntimeException | Error e) {
      free();
      throw e;
    }
  }

  static OneDnnWeights pack(Kernel kernel, Dnnl dnnl, Matrix source, WeightLayout layout) {
    boolean outIn = layout == WeightLayout.OUT_IN;
    long inputs = outIn ? source.columns() : source.rows();
    long outputs = outIn ? source.rows() : source.columns();
    return new OneDnnWeights(kernel, dnnl, source, layout, inputs, outputs);
  }

  private long bytes() {
    long bytes = 0;
    for (int panel = 0; panel < addresses.length && inputs() > 0; panel++) {
      bytes += aligned(layouts[panels.shape(panel)].bytes());
    }
    return bytes;
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  private static MemorySegment nativeMemory(Matrix source, Arena arena) {
    MemorySegment memory = source.memory();
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("the memory of the weights was freed");
    }
    return memory.isNative() ? memory : arena.allocate(memory.byteSize()).copyFrom(memory);
  }

  Panels panels() {
    return panels;
  }

  /** How the panels of a shape are stored. */
  Dnnl.Layout layout(int shape) {
    return layouts[shape];
  }

  /** Where a panel begins. */
  long address(int panel) {
    return addresses[panel];
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
