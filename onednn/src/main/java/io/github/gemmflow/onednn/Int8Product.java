// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.MatmulSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One int8 product. Its bits are the same in every height, because sums of integers are exact. A
 * bias is put into C first, and the product added to it.
 */
final class Int8Product extends PanelProduct {
  private static final int TALLEST = Ladder.height(Ladder.count() - 1);

  private final Int8Weights weights;
  private final Panels panels;
  private final RowFormat format;
  private final Ladder ladder;
  private final float[] bias;
  private final Lane[] lanes;

  Int8Product(Dnnl dnnl, Int8Weights weights, ProductSpec spec) {
    super(weights, spec);
    this.weights = weights;
    this.panels = weights.panels();
    this.format = new RowFormat(DType.I8, weights.inputs());
    Epilogue epilogue = spec.epilogue();
    this.bias = new float[epilogue.hasBias() ? Math.toIntExact(weights.outputs()) : 0];
    for (int column = 0; column < bias.length; column++) {
      bias[column] = epilogue.bias(column);
    }
    boolean[] all = new boolean[Ladder.count()];
    Arrays.fill(all, true);
    this.ladder = new Ladder(all);
    this.lanes = new Lane[spec.threads()];
    try {
      prepare(dnnl);
      for (int thread = 0; thread < lanes.length; thread++) {
        lanes[thread] = new Lane(calls(thread));
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  MatmulSpec spec(int shape, int height) {
    return new MatmulSpec(
        height,
        format.bytes(),
        DType.F32,
        strideOf(panels.firstOf(shape)),
        epilogue().hasBias(),
        epilogue().activation());
  }

  /** A lone last column is a matrix of its own: oneDNN is slow with gaps between its elements. */
  private boolean isLone(int panel) {
    return panels.width(panel) == 1 && weights.outputs() > 1;
  }

  /** Elements from one row of C to the next, where a panel is multiplied. */
  private long strideOf(int panel) {
    return isLone(panel) ? 1 : weights.outputs();
  }

  @Override
  void multiplyPanels(int thread, Block a, Block c, long firstColumn) {
    lanes[thread].run(a, c, firstColumn);
  }

  /** What one thread has for itself. */
  private final class Lane {
    private final Dnnl.Call[][] calls;
    private final Block part = new Block();
    private final Block copy = new Block();
    private final DType output = output();
    private final long aStride = format.bytes();
    private final long cStride = weights.outputs() * Float.BYTES;
    private final MemorySegment aMemory = arena().allocate(Ladder.STEP * aStride, ALIGNMENT);
    private final MemorySegment cMemory = arena().allocate(Ladder.STEP * cStride, ALIGNMENT);
    private final MemorySegment rowScales = arena().allocate(JAVA_FLOAT, TALLEST);
    private final float[] values = new float[Panels.WIDTH];
    private final Floats floats = new Floats(Panels.WIDTH);

    Lane(Dnnl.Call[][] calls) {
      this.calls = calls;
    }

    void run(Block a, Block c, long firstColumn) {
      int first = (int) (firstColumn / Panels.WIDTH);
      int end = panels.endAt(firstColumn + c.rowBytes() / output.bytes());
      int endInPlace = isLone(end - 1) ? end - 1 : end;
      boolean liesWell = liesWell(a, aStride) && output == DType.F32 && liesWell(c, cStride);
      long inPlace = liesWell ? ladder.withoutTail(a.rows()) : 0;
      for (long row = 0; row < inPlace; ) {
        int index = ladder.tallestWithin(inPlace - row);
        int height = Ladder.height(index);
        long aAt = a.memory().address() + a.offset() + row * aStride;
        long cAt = c.memory().address() + c.offset() + row * cStride;
        loadScales(a, row, height);
        for (int panel = first; panel < endInPlace; panel++) {
          long at = cAt + (panels.begin(panel) - panels.begin(first)) * Float.BYTES;
          multiply(index, panel, a.memory(), aAt, c.memory(), at);
        }
        row += height;
      }
      copyAndRun(a, c, inPlace, first, first, endInPlace);
      copyAndRun(a, c, 0, first, endInPlace, end);
    }

    /** Multiplies the rows from one on with some panels. */
    private void copyAndRun(Block a, Block c, long from, int first, int panel, int end) {
      for (long row = from; row < a.rows() && panel < end; row += Ladder.STEP) {
        copyAndRun(a, c, row, Math.min(Ladder.STEP, a.rows() - row), first, panel, end);
      }
    }

    private void copyAndRun(Block a, Block c, long row, long rows, int first, int begin, int end) {
      part.at(a.memory(), a.offset() + row * a.stride(), rows, a.rowBytes(), a.stride());
      copy.at(aMemory, 0, rows, a.rowBytes(), aStride).copyFrom(part);
      loadScales(copy, 0, (int) rows);
      int index = ladder.tallestWithin(ladder.heightOfTail(rows));
      for (int panel = begin; panel < end; panel++) {
        multiply(index, panel, aMemory, aMemory.address(), cMemory, cMemory.address());
        long skipped = panels.begin(panel) - panels.begin(first);
        for (long i = 0; i < rows; i++) {
          int width = (int) panels.width(panel);
          floats.load(DType.F32, cMemory, i * strideOf(panel) * Float.BYTES, values, width);
          long to = c.offset() + (row + i) * c.stride() + skipped * output.bytes();
          floats.store(output, c.memory(), to, values, width);
        }
      }
    }

    private void loadScales(Block a, long row, int rows) {
      long at = a.offset() + row * a.stride() + format.scaleAt();
      for (int i = 0; i < rows; i++) {
        float scale = a.memory().get(JAVA_FLOAT_UNALIGNED, at + i * a.stride());
        rowScales.setAtIndex(JAVA_FLOAT, i, scale);
      }
    }

    private void multiply(
        int index, int panel, MemorySegment a, long aAt, MemorySegment c, long cAt) {
      if (bias.length > 0) {
        putBias(Ladder.height(index), panel, c, cAt - c.address());
      }
      calls[panels.shape(panel)][index].run(
          a,
          aAt,
          rowScales.address(),
          weights.address(panel),
          weights.scalesAddress(panel),
          0,
          c,
          cAt);
    }

    private void putBias(int rows, int panel, MemorySegment c, long at) {
      int begin = (int) panels.begin(panel);
      int width = (int) panels.width(panel);
      for (int i = 0; i < rows; i++) {
        long to = at + i * strideOf(panel) * Float.BYTES;
        MemorySegment.copy(bias, begin, c, JAVA_FLOAT_UNALIGNED, to, width);
      }
    }
  }
}
