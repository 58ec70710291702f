// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.LargePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Weights in panels of columns, each packed for itself. How they are cut depends on nothing but
 * their number, so that every thread count and every operator computes the same bits from the same
 * copy.
 */
abstract class PanelWeights extends PackedWeights {
  static final long ALIGNMENT = 64;

  /** Packs the columns of one panel. */
  @FunctionalInterface
  interface Packer {
    void pack(int panel, Dnnl.Layout layout, MemorySegment target);
  }

  private final DType rowType;
  private final Panels panels;
  private final Arena arena = Arena.ofShared();
  private final Dnnl.Layout[] layouts;
  private final long[] addresses;

  PanelWeights(
      Kernel kernel, DType rowType, DType type, WeightLayout layout, long inputs, long outputs) {
    super(kernel, type, layout, inputs, outputs);
    this.rowType = rowType;
    this.panels = new Panels(outputs);
    this.layouts = new Dnnl.Layout[inputs == 0 ? 0 : panels.shapes()];
    this.addresses = new long[inputs == 0 ? 0 : panels.count()];
  }

  /** Packs all panels; frees everything if that fails. */
  final void pack(Dnnl dnnl, Packer packer) {
    try {
      for (int shape = 0; shape < layouts.length; shape++) {
        long width = panels.width(panels.firstOf(shape));
        layouts[shape] = dnnl.layout(rowType, type(), inputs(), width);
      }
      long bytes = 0;
      for (int panel = 0; panel < addresses.length; panel++) {
        bytes += aligned(layouts[panels.shape(panel)].bytes());
      }
      MemorySegment memory = LargePages.allocate(bytes, arena);
      long next = 0;
      for (int panel = 0; panel < addresses.length; panel++) {
        Dnnl.Layout packed = layouts[panels.shape(panel)];
        MemorySegment target = memory.asSlice(next, packed.bytes());
        packer.pack(panel, packed, target);
        addresses[panel] = target.address();
        next += aligned(packed.bytes());
      }
    } catch (RuntimeException | Error e) {
      free();
      throw e;
    }
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
  }

  /** The type of the rows that are multiplied with these weights. */
  final DType rowType() {
    return rowType;
  }

  final Panels panels() {
    return panels;
  }

  /** How many shapes of panels there are to multiply with. */
  final int shapes() {
    return layouts.length;
  }

  /** How the panels of a shape are stored. */
  final Dnnl.Layout layout(int shape) {
    return layouts[shape];
  }

  /** Where a panel begins. */
  final long address(int panel) {
    return addresses[panel];
  }

  /** Where the scales of the columns of a panel begin; 0 if there are none. */
  long scalesAddress(int panel) {
    return 0;
  }

  /** What lives as long as these weights. */
  final Arena arena() {
    return arena;
  }

  @Override
  protected final void free() {
    arena.close();
    for (Dnnl.Layout layout : layouts) {
      if (layout != null) {
        layout.close();
      }
    }
  }
}
