// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One product, prepared for the heights of a {@link Ladder} and the widths of {@link Panels}. What
 * is prepared takes rows without gaps, in native memory; anything else, and what is shorter than a
 * height, goes through a little memory of the thread's own.
 */
final class OneDnnProduct implements Product {
  /** Runs of this many rows reach most of the speed of taller ones. */
  private static final int WORTHWHILE_ROWS = 64;

  private static final long ALIGNMENT = 64;

  private final OneDnnWeights weights;
  private final Panels panels;
  private final DType output;
  private final Epilogue epilogue;
  private final Ladder[] ladders;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bias;
  private final Dnnl.Matmul[][] matmuls;
  private final Lane[] lanes;

  OneDnnProduct(Dnnl dnnl, OneDnnWeights weights, ProductSpec spec) {
    this.weights = weights;
    this.panels = weights.panels();
    this.output = spec.output();
    this.epilogue = spec.epilogue();
    this.bias = arena.allocate(JAVA_FLOAT, epilogue.hasBias() ? weights.outputs() : 0);
    for (int column = 0; column < bias.byteSize() / Float.BYTES; column++) {
      bias.setAtIndex(JAVA_FLOAT, column, epilogue.bias(column));
    }
    int shapes = weights.inputs() == 0 ? 0 : panels.shapes();
    this.matmuls = new Dnnl.Matmul[shapes][Ladder.count()];
    this.ladders = new Ladder[shapes];
    this.lanes = new Lane[spec.threads()];
    try {
      prepare(dnnl);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private void prepare(Dnnl dnnl) {
    long scratchBytes = 0;
    for (int shape = 0; shape < matmuls.length; shape++) {
      Dnnl.Layout layout = weights.layout(shape);
      for (int i = 0; i < Ladder.count(); i++) {
        Dnnl.Matmul matmul =
            dnnl.matmul(
                layout,
                Ladder.height(i),
                output,
                weights.outputs(),
                epilogue.hasBias(),
                epilogue.activation());
        matmuls[shape][i] = matmul;
        scratchBytes = Math.max(scratchBytes, matmul.scratchBytes());
      }
      ladders[shape] =
          new Ladder(
              SameBits.agreeing(
                  layout,
                  matmuls[shape],
                  output,
                  weights.outputs(),
                  epilogue.hasBias(),
                  epilogue.activation()));
    }
    for (int thread = 0; thread < lanes.length; thread++) {
      lanes[thread] = new Lane(scratchBytes);
    }
  }

  @Override
  public int columnGranularity() {
    return Panels.WIDTH;
  }

  @Override
  public int worthwhileRows() {
    return WORTHWHILE_ROWS;
  }

  @Override
  public void multiply(int thread, Block a, Block c, long firstColumn) {
    if (c.bytes() == 0) {
      return;
    }
    if (weights.inputs() == 0) {
      fillWithoutInputs(c, firstColumn);
    } else {
      lanes[thread].run(a, c, firstColumn);
    }
  }

  private static boolean liesWell(Block block, long stride) {
    return block.memory().isNative() && (block.stride() == stride || block.rows() == 1);
  }

  private static long address(Block block) {
    return block.memory().address() + block.offset();
  }

  /** A sum of nothing is zero. */
  private void fillWithoutInputs(Block c, long firstColumn) {
    for (long row = 0; row < c.rows(); row++) {
      for (long j = 0; j < c.rowBytes() / output.bytes(); j++) {
        float sum = epilogue.hasBias() ? epilogue.bias((int) (firstColumn + j)) : 0;
        long at = c.offset() + row * c.stride() + j * output.bytes();
        output.set(c.memory(), at, epilogue.activation().apply(sum));
      }
    }
  }

  @Override
  public void close() {
    for (Lane lane : lanes) {
      if (lane != null) {
        lane.close();
      }
    }
    for (Dnnl.Matmul[] ofShape : matmuls) {
      for (Dnnl.Matmul matmul : ofShape) {
        if (matmul != null) {
          matmul.close();
        }
      }
    }
    arena.close();
  }

  /** What one thread has for itself. */
  private final class Lane {
    private final Dnnl.Call[][] calls = new Dnnl.Call[matmuls.length][Ladder.count()];
    private final Block part = new Block();
    private final Block copy = new Block();
    private final long aStride = weights.inputs() * weights.type().bytes();
    private final long cStride = weights.outputs() * output.bytes();
    private final MemorySegment aMemory;
    private final MemorySegment cMemory;

    Lane(long scratchBytes) {
      MemorySegment scratch = arena.allocate(scratchBytes, ALIGNMENT);
      aMemory = arena.allocate(Ladder.STEP * aStride, ALIGNMENT);
      cMemory = arena.allocate(Ladder.STEP * cStride, ALIGNMENT);
      for (int shape = 0; shape < calls.length; shape++) {
        for (int i = 0; i < Ladder.count(); i++) {
          calls[shape][i] = matmuls[shape][i].newCall(scratch);
        }
      }
    }

    /** Panel by panel: the weights are the larger part, and each is read once or twice. */
    void run(Block a, Block c, long firstColumn) {
      boolean liesWell = liesWell(a, aStride) && liesWell(c, cStride);
      int first = (int) (firstColumn / Panels.WIDTH);
      int end = panels.endAt(firstColumn + c.rowBytes() / output.bytes());
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
          long bytes = panels.width(panel) * output.bytes();
          long at = c.offset() + row * c.stride() + offset(panel, first);
          part.at(c.memory(), at, rows, bytes, c.stride());
          part.copyFrom(copy.at(cMemory, 0, rows, bytes, cStride));
        }
      }
    }

    /** Bytes from the first column that is wanted to a panel. */
    private long offset(int panel, int first) {
      return (panels.begin(panel) - panels.begin(first)) * output.bytes();
    }

    /** Rows that are a sum of heights. */
    private void multiply(
        int panel, MemorySegment a, long aAt, MemorySegment c, long cAt, long rows) {
      int shape = panels.shape(panel);
      long biasAt = bias.address() + panels.begin(panel) * Float.BYTES;
      long row = 0;
      while (row < rows) {
        int index = ladders[shape].tallestWithin(rows - row);
        calls[shape][index].run(
            a, aAt + row * aStride, weights.address(panel), biasAt, c, cAt + row * cStride);
        row += Ladder.height(index);
      }
    }

    void close() {
      for (Dnnl.Call[] ofShape : calls) {
        for (Dnnl.Call call : ofShape) {
          if (call != null) {
            call.close();
          }
        }
      }
    }
  }
}
