// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A product of a type that this machine has no instructions for: a few rows at a time become F32,
 * and what comes of them stays F32 until it is rounded to the output's type.
 */
final class ConvertedProduct implements Product {
  private static final long ALIGNMENT = 64;

  private final DType input;
  private final long scaleAt;
  private final DType output;
  private final OneDnnProduct inF32;
  private final Arena arena = Arena.ofShared();
  private final Lane[] lanes;

  ConvertedProduct(Dnnl dnnl, ConvertedWeights weights, ProductSpec spec) {
    this.input = weights.type();
    this.scaleAt = new RowFormat(input, weights.inputs()).scaleAt();
    this.output = spec.output();
    this.inF32 =
        new OneDnnProduct(
            dnnl, weights.forF32(), new ProductSpec(DType.F32, spec.epilogue(), spec.threads()));
    this.lanes = new Lane[spec.threads()];
    try {
      for (int thread = 0; thread < lanes.length; thread++) {
        lanes[thread] = new Lane(weights.inputs(), weights.outputs());
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public int columnGranularity() {
    return inF32.columnGranularity();
  }

  @Override
  public int worthwhileRows() {
    return inF32.worthwhileRows();
  }

  @Override
  public void multiply(int thread, Block a, Block c, long firstColumn) {
    if (c.bytes() > 0) {
      lanes[thread].run(thread, a, c, firstColumn);
    }
  }

  @Override
  public void close() {
    inF32.close();
    arena.close();
  }

  /** What one thread has for itself. */
  private final class Lane {
    private final MemorySegment aMemory;
    private final MemorySegment cMemory;
    private final long aStride;
    private final long cStride;
    private final float[] values;
    private final Floats floats;
    private final Block aPart = new Block();
    private final Block cPart = new Block();

    Lane(long inputs, long outputs) {
      this.aStride = inputs * Float.BYTES;
      this.cStride = outputs * Float.BYTES;
      this.aMemory = arena.allocate(Ladder.STEP * aStride, ALIGNMENT);
      this.cMemory = arena.allocate(output == DType.F32 ? 0 : Ladder.STEP * cStride, ALIGNMENT);
      this.values = new float[Math.toIntExact(Math.max(inputs, outputs))];
      this.floats = new Floats(values.length);
    }

    void run(int thread, Block a, Block c, long firstColumn) {
      for (long first = 0; first < a.rows(); first += Ladder.STEP) {
        long rows = Math.min(Ladder.STEP, a.rows() - first);
        load(a, first, rows);
        if (output == DType.F32) {
          long at = c.offset() + first * c.stride();
          cPart.at(c.memory(), at, rows, c.rowBytes(), c.stride());
          inF32.multiply(thread, aPart, cPart, firstColumn);
        } else {
          long bytes = c.rowBytes() / output.bytes() * Float.BYTES;
          cPart.at(cMemory, 0, rows, bytes, cStride);
          inF32.multiply(thread, aPart, cPart, firstColumn);
          store(c, first, rows);
        }
      }
    }

    private void load(Block a, long first, long rows) {
      int inputs = (int) (aStride / Float.BYTES);
      // Rows of nothing may lie anywhere.
      for (long row = 0; row < rows && inputs > 0; row++) {
        long at = a.offset() + (first + row) * a.stride();
        floats.load(input, a.memory(), at, values, inputs);
        if (!input.isReal()) {
          scale(a.memory().get(JAVA_FLOAT_UNALIGNED, at + scaleAt), inputs);
        }
        floats.store(DType.F32, aMemory, row * aStride, values, inputs);
      }
      aPart.at(aMemory, 0, rows, aStride, aStride);
    }

    private void scale(float factor, int count) {
      for (int i = 0; i < count; i++) {
        values[i] *= factor;
      }
    }

    private void store(Block c, long first, long rows) {
      int columns = (int) (c.rowBytes() / output.bytes());
      for (long row = 0; row < rows; row++) {
        floats.load(DType.F32, cMemory, row * cStride, values, columns);
        long at = c.offset() + (first + row) * c.stride();
        floats.store(output, c.memory(), at, values, columns);
      }
    }
  }
}
