// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The product in plain Java, which every other kernel is held against. Each element of C is summed
 * in F32 in the order of {@code k}, one rounding per multiplication and one per addition, so its
 * bits do not depend on how the work is cut.
 */
public final class ReferenceKernel implements Kernel {
  private static final int PANEL = ReferenceProduct.PANEL;

  @Override
  public String name() {
    return "reference";
  }

  @Override
  public String instructions() {
    return "plain Java";
  }

  @Override
  public boolean hasInt8() {
    return true;
  }

  @Override
  public PackedWeights pack(Int8Columns weights) {
    return ReferenceInt8.pack(this, weights);
  }

  @Override
  public PackedWeights packConverted(Int8Columns weights) {
    try (Arena arena = Arena.ofConfined()) {
      return pack(weights.toReals(arena), WeightLayout.IN_OUT, DType.I8, weights.layout());
    }
  }

  @Override
  public PackedWeights pack(Matrix weights, WeightLayout layout) {
    Kernel.checkReals(weights);
    return pack(weights, layout, weights.type(), layout);
  }

  /**
   * Packs weights.
   *
   * @param type of the rows that they are multiplied with
   * @param given how they lay before they became what they are
   */
  private PackedWeights pack(Matrix weights, WeightLayout layout, DType type, WeightLayout given) {
    boolean outIn = layout == WeightLayout.OUT_IN;
    long inputs = outIn ? weights.columns() : weights.rows();
    long outputs = outIn ? weights.rows() : weights.columns();
    float[][] panels = new float[Math.toIntExact(Math.ceilDiv(outputs, PANEL))][];
    for (int p = 0; p < panels.length; p++) {
      float[] panel = new float[Math.toIntExact(Math.multiplyExact(inputs, PANEL))];
      long first = (long) p * PANEL;
      int width = (int) Math.min(PANEL, outputs - first);
      for (int k = 0; k < inputs; k++) {
        for (int j = 0; j < width; j++) {
          panel[k * PANEL + j] = outIn ? weights.get(first + j, k) : weights.get(k, first + j);
        }
      }
      panels[p] = panel;
    }
    return new Panels(this, type, given, inputs, outputs, panels);
  }

  @Override
  public Product product(PackedWeights weights, ProductSpec spec) {
    return weights instanceof ReferenceInt8.Weights int8
        ? new ReferenceProduct(spec, () -> new ReferenceInt8.Lane(int8))
        : new ReferenceProduct(spec, () -> new Lane((Panels) weights));
  }

  /** B as F32, cut into panels of {@link #PANEL} columns, each row-major and padded with zeros. */
  private static final class Panels extends PackedWeights {
    private float[][] panels;

    Panels(
        Kernel kernel,
        DType type,
        WeightLayout layout,
        long inputs,
        long outputs,
        float[][] panels) {
      super(kernel, type, layout, inputs, outputs);
      this.panels = panels;
    }

    @Override
    protected void free() {
      panels = new float[0][];
    }
  }

  /** One thread's part of a product. */
  private static final class Lane extends ReferenceProduct.Lane {
    private final Panels weights;
    private final DType input;
    private final long scaleAt;
    private final float[] row;
    private final float[] sums = new float[PANEL];

    Lane(Panels weights) {
      this.weights = weights;
      this.input = weights.type();
      this.scaleAt = new RowFormat(input, weights.inputs()).scaleAt();
      this.row = new float[Math.toIntExact(weights.inputs())];
    }

    @Override
    void load(MemorySegment memory, long offset) {
      float scale = input.isReal() ? 1 : memory.get(JAVA_FLOAT_UNALIGNED, offset + scaleAt);
      for (int k = 0; k < row.length; k++) {
        row[k] = input.get(memory, offset + (long) k * input.bytes()) * scale;
      }
    }

    @Override
    void multiply(int panel, int skip, int width, float[] results) {
      sum(row, weights.panels[panel], sums);
      System.arraycopy(sums, skip, results, 0, width);
    }

    private static void sum(float[] row, float[] panel, float[] sums) {
      Arrays.fill(sums, 0);
      for (int k = 0; k < row.length; k++) {
        float a = row[k];
        int b = k * PANEL;
        for (int j = 0; j < PANEL; j++) {
          sums[j] += a * panel[b + j];
        }
      }
    }
  }
}
