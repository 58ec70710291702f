// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.github.gemmflow.matrix.Block;
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
  /** Columns in a panel: enough for the JIT to vectorise, few enough for sums to stay in L1. */
  private static final int PANEL = 64;

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
        ? new ReferenceInt8.PanelProduct(int8, spec)
        : new PanelProduct((Panels) weights, spec);
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

  private static final class PanelProduct implements Product {
    private final Panels weights;
    private final DType input;
    private final long scaleAt;
    private final DType output;
    private final Epilogue epilogue;
    private final float[][] rowOf;
    private final float[][] sumsOf;

    PanelProduct(Panels weights, ProductSpec spec) {
      this.weights = weights;
      this.input = weights.type();
      this.scaleAt = new RowFormat(input, weights.inputs()).scaleAt();
      this.output = spec.output();
      this.epilogue = spec.epilogue();
      this.rowOf = new float[spec.threads()][Math.toIntExact(weights.inputs())];
      this.sumsOf = new float[spec.threads()][PANEL];
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
      float[] row = rowOf[thread];
      long columns = c.rowBytes() / output.bytes();
      for (long i = 0; i < a.rows(); i++) {
        load(a.memory(), a.offset() + i * a.stride(), row);
        long target = c.offset() + i * c.stride();
        long column = firstColumn;
        while (column < firstColumn + columns) {
          int skip = (int) (column % PANEL);
          int width = (int) Math.min(PANEL - skip, firstColumn + columns - column);
          float[] sums = sumsOf[thread];
          sum(row, weights.panels[(int) (column / PANEL)], sums);
          finish(sums, skip, width, column);
          store(sums, skip, width, c.memory(), target);
          target += (long) width * output.bytes();
          column += width;
        }
      }
    }

    private void load(MemorySegment memory, long offset, float[] row) {
      float scale = input.isReal() ? 1 : memory.get(JAVA_FLOAT_UNALIGNED, offset + scaleAt);
      for (int k = 0; k < row.length; k++) {
        row[k] = input.get(memory, offset + (long) k * input.bytes()) * scale;
      }
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

    private void finish(float[] sums, int skip, int width, long firstColumn) {
      for (int j = 0; j < width; j++) {
        float sum = sums[skip + j];
        float biased = epilogue.hasBias() ? sum + epilogue.bias((int) firstColumn + j) : sum;
        sums[skip + j] = epilogue.activation().apply(biased);
      }
    }

    private void store(float[] sums, int skip, int width, MemorySegment memory, long offset) {
      for (int j = 0; j < width; j++) {
        output.set(memory, offset + (long) j * output.bytes(), sums[skip + j]);
      }
    }

    @Override
    public void close() {}
  }
}
