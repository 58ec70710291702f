// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.MatmulSpec;
import java.lang.foreign.MemorySegment;

/**
 * One product of rows of real numbers. Rows that are multiplied where they lie have no gaps.
 * Weights are real, too, or in int8.
 */
final class OneDnnProduct extends PanelProduct {
  private final PanelWeights weights;
  private final Panels panels;
  private final Ladder[] ladders;
  private final MemorySegment bias;
  private final Lane[] lanes;

  OneDnnProduct(Dnnl dnnl, PanelWeights weights, ProductSpec spec) {
    super(weights, spec);
    this.weights = weights;
    this.panels = weights.panels();
    this.ladders = new Ladder[weights.shapes()];
    this.lanes = new Lane[spec.threads()];
    Epilogue epilogue = spec.epilogue();
    try {
      this.bias = arena().allocate(JAVA_FLOAT, epilogue.hasBias() ? weights.outputs() : 0);
      for (int column = 0; column < bias.byteSize() / Float.BYTES; column++) {
        bias.setAtIndex(JAVA_FLOAT, column, epilogue.bias(column));
      }
      prepare(dnnl);
      for (int shape = 0; shape < ladders.length; shape++) {
        ladders[shape] =
            new Ladder(
                SameBits.agreeing(weights.layout(shape), matmuls(shape), spec(shape, Ladder.STEP)));
      }
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
        weights.inputs(),
        output(),
        weights.outputs(),
        epilogue().hasBias(),
        epilogue().activation());
  }

  @Override
  void multiplyPanels(int thread, Block a, Block c, long firstColumn) {
    lanes[thread].run(a, c, firstColumn);
  }

  private static long address(Block block) {
    return block.memory().address() + block.offset();
  }

  /** What one thread has for itself. */
  private final class Lane {
    private final Dnnl.Call[][] calls;
    private final Block part = new Block();
    private final Block copy = new Block();
    private final long elementBytes = output().bytes();
    private final long aStride = weights.inputs() * weights.rowType().bytes();
    private final long cStride = weights.outputs() * elementBytes;
    private final MemorySegment aMemory = arena().allocate(Ladder.STEP * aStride, ALIGNMENT);
    private final MemorySegment cMemory = arena().allocate(Ladder.STEP * cStride, ALIGNMENT);

    Lane(Dnnl.Call[][] calls) {
      this.calls = calls;
    }

    /** Panel by panel: the weights are the larger part, and each is read once or twice. */
    void run(Block a, Block c, long firstColumn) {
      boolean liesWell = liesWell(a, aStride) && liesWell(c, cStride);
      int first = (int) (firstColumn / Panels.WIDTH);
      int end = panels.endAt(firstColumn + c.rowBytes() / elementBytes);
      long inPlace = a.rows();
      for (int panel = first; panel < end; panel++) {
        long rows = liesWell ? ladders[panels.shape(panel)].withoutTail(a.rows()) : 0;
        inPlace = Math.min(inPlace, rows);
        if (rows > 0) {
          multiply(
              panel, a.memory(), address(a), c.memory(), address(c) + offset(panel, first), rows);
        }
      }
      for (long row = inPlace; row < a.rows(); row += Ladder.STEP) {
        long rows = Math.min(Ladder.STEP, a.rows() - row);
        part.at(a.memory(), a.offset() + row * a.stride(), rows, a.rowBytes(), a.stride());
        copy.at(aMemory, 0, rows, a.rowBytes(), aStride).copyFrom(part);
        for (int panel = first; panel < end; panel++) {
          int height = ladders[panels.shape(panel)].heightOfTail(rows);
          multiply(panel, aMemory, aMemory.address(), cMemory, cMemory.address(), height);
          long bytes = panels.width(panel) * elementBytes;
          long at = c.offset() + row * c.stride() + offset(panel, first);
          part.at(c.memory(), at, rows, bytes, c.stride());
          part.copyFrom(copy.at(cMemory, 0, rows, bytes, cStride));
        }
      }
    }

    /** Bytes from the first column that is wanted to a panel. */
    private long offset(int panel, int first) {
      return (panels.begin(panel) - panels.begin(first)) * elementBytes;
    }

    /** Rows that are a sum of heights. */
    private void multiply(
        int panel, MemorySegment a, long aAt, MemorySegment c, long cAt, long rows) {
      int shape = panels.shape(panel);
      long scalesAt = weights.scalesAddress(panel);
      long biasAt = bias.address() + panels.begin(panel) * Float.BYTES;
      long row = 0;
      while (row < rows) {
        int index = ladders[shape].tallestWithin(rows - row);
        long from = aAt + row * aStride;
        long to = cAt + row * cStride;
        calls[shape][index].run(a, from, 0, weights.address(panel), scalesAt, biasAt, c, to);
        row += Ladder.height(index);
      }
    }
  }
}
