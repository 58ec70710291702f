// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Int8 products in plain Java: sums of int32, each turned into F32 and multiplied with the scales
 * of its column and of its row, in this order.
 */
final class ReferenceInt8 {
  private static final int PANEL = 64;

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

  /** The product. */
  static final class PanelProduct implements Product {
    private final Weights weights;
    private final DType output;
    private final Epilogue epilogue;
    private final long scaleAt;
    private final byte[][] rowOf;
    private final int[][] sumsOf;
    private final float[][] resultOf;
    private final Floats[] floatsOf;

    PanelProduct(Weights weights, ProductSpec spec) {
      this.weights = weights;
      this.output = spec.output();
      this.epilogue = spec.epilogue();
      this.scaleAt = new RowFormat(DType.I8, weights.inputs()).scaleAt();
      int threads = spec.threads();
      this.rowOf = new byte[threads][Math.toIntExact(weights.inputs())];
      this.sumsOf = new int[threads][PANEL];
      this.resultOf = new float[threads][PANEL];
      this.floatsOf = new Floats[threads];
      Arrays.setAll(floatsOf, thread -> new Floats(PANEL));
    }

    @Override
    public int columnGranularity() {
      return PANEL;
    }

    @Override
    public int worthwhileRows() {
      return 4;
    }

    @Override
    public void multiply(int thread, Block a, Block c, long firstColumn) {
      byte[] row = rowOf[thread];
      long columns = c.rowBytes() / output.bytes();
      for (long i = 0; i < a.rows(); i++) {
        long from = a.offset() + i * a.stride();
        MemorySegment.copy(a.memory(), ValueLayout.JAVA_BYTE, from, row, 0, row.length);
        float scale = a.memory().get(ValueLayout.JAVA_FLOAT_UNALIGNED, from + scaleAt);
        long target = c.offset() + i * c.stride();
        for (long column = firstColumn; column < firstColumn + columns; ) {
          int panel = (int) (column / PANEL);
          int skip = (int) (column % PANEL);
          int width = (int) Math.min(PANEL - skip, firstColumn + columns - column);
          sum(row, weights.panels[panel], sumsOf[thread]);
          finish(thread, panel, skip, width, column, scale);
          floatsOf[thread].store(output, c.memory(), target, resultOf[thread], width);
          target += (long) width * output.bytes();
          column += width;
        }
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

    private void finish(int thread, int panel, int skip, int width, long first, float rowScale) {
      float[] result = resultOf[thread];
      for (int j = 0; j < width; j++) {
        float columnScale = weights.scales[panel][skip + j];
        result[j] = sumsOf[thread][skip + j] * columnScale * rowScale;
      }
      epilogue.apply(result, (int) first, width);
    }

    @Override
    public void close() {}
  }
}
