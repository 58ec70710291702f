// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Int8 products in plain Java: sums of int32, each turned into F32 and multiplied with the scales
 * of its column and of its row, in this order.
 */
final class ReferenceInt8 {
  private static final int PANEL = ReferenceProduct.PANEL;

  private ReferenceInt8() {}

  static PackedWeights pack(Kernel kernel, Int8Columns source) {
    int inputs = Math.toIntExact(source.inputs());
    int panels = Math.toIntExact(Math.ceilDiv(source.outputs(), PANEL));
    Weights weights = new Weights(kernel, source, panels);
    for (int p = 0; p < panels; p++) {
      long first = (long) p * PANEL;
      int width = (int) Math.min(PANEL, source.outputs() - first);
      byte[] bytes = new byte[Math.multiplyExact(inputs, width)];
      source.read(first, width, MemorySegment.ofArray(bytes), weights.scales[p]);
      // As wide as all others, with zeros.
      for (int k = 0; k < inputs; k++) {
        System.arraycopy(bytes, k * width, weights.panels[p], k * PANEL, width);
      }
    }
    return weights;
  }

  /** B in panels of {@link #PANEL} columns, each row-major. */
  static final class Weights extends PackedWeights {
    private byte[][] panels;
    private final float[][] scales;

    Weights(Kernel kernel, Int8Columns source, int count) {
      super(kernel, DType.I8, source.layout(), source.inputs(), source.outputs());
      int bytes = Math.toIntExact(Math.multiplyExact(source.inputs(), PANEL));
      this.panels = new byte[count][bytes];
      this.scales = new float[count][PANEL];
    }

    @Override
    protected void free() {
      panels = new byte[0][];
    }
  }

  /** One thread's part of a product. */
  static final class Lane extends ReferenceProduct.Lane {
    private final Weights weights;
    private final long scaleAt;
    private final byte[] row;
    private final int[] sums = new int[PANEL];
    private float rowScale;

    Lane(Weights weights) {
      this.weights = weights;
      this.scaleAt = new RowFormat(DType.I8, weights.inputs()).scaleAt();
      this.row = new byte[Math.toIntExact(weights.inputs())];
    }

    @Override
    void load(MemorySegment memory, long offset) {
      MemorySegment.copy(memory, JAVA_BYTE, offset, row, 0, row.length);
      rowScale = memory.get(JAVA_FLOAT_UNALIGNED, offset + scaleAt);
    }

    @Override
    void multiply(int panel, int skip, int width, float[] results) {
      sum(row, weights.panels[panel], sums);
      for (int j = 0; j < width; j++) {
        results[j] = sums[skip + j] * weights.scales[panel][skip + j] * rowScale;
      }
    }

    private static void sum(byte[] row, byte[] panel, int[] sums) {
      Arrays.fill(sums, 0);
      for (int k = 0; k < row.length; k++) {
        int a = row[k];
        int b = k * PANEL;
        for (int j = 0; j < PANEL; j++) {
          sums[j] += a * panel[b + j];
        }
      }
    }
  }
}
