// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.MatmulSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One product, prepared for the heights of a {@link Ladder} and the widths of {@link Panels}. Rows
 * and results that do not lie as was prepared for, and what is shorter than a height, go through a
 * little memory of the thread's own.
 */
abstract class PanelProduct implements Product {
  static final long ALIGNMENT = 64;

  /** Runs of this many rows reach most of the speed of taller ones. */
  private static final int WORTHWHILE_ROWS = 64;

  private final PanelWeights weights;
  private final DType output;
  private final Epilogue epilogue;
  private final Arena arena = Arena.ofShared();
  private final Dnnl.Matmul[][] matmuls;
  private final Dnnl.Call[][][] calls;

  PanelProduct(PanelWeights weights, ProductSpec spec) {
    this.weights = weights;
    this.output = spec.output();
    this.epilogue = spec.epilogue();
    this.matmuls = new Dnnl.Matmul[weights.shapes()][Ladder.count()];
    this.calls = new Dnnl.Call[spec.threads()][weights.shapes()][Ladder.count()];
  }

  /** The product of panels of one shape, in one height. */
  abstract MatmulSpec spec(int shape, int height);

  /** Multiplies rows with the panels from a column on; neither is empty. */
  abstract void multiplyPanels(int thread, Block a, Block c, long firstColumn);

  /** Makes what the calls of all threads need. */
  final void prepare(Dnnl dnnl) {
    long scratchBytes = 0;
    for (int shape = 0; shape < matmuls.length; shape++) {
      for (int i = 0; i < Ladder.count(); i++) {
        Dnnl.Matmul matmul = dnnl.matmul(weights.layout(shape), spec(shape, Ladder.height(i)));
        matmuls[shape][i] = matmul;
        scratchBytes = Math.max(scratchBytes, matmul.scratchBytes());
      }
    }
    for (Dnnl.Call[][] ofThread : calls) {
      MemorySegment scratch = arena.allocate(scratchBytes, ALIGNMENT);
      for (int shape = 0; shape < matmuls.length; shape++) {
        for (int i = 0; i < Ladder.count(); i++) {
          ofThread[shape][i] = matmuls[shape][i].newCall(scratch);
        }
      }
    }
  }

  final Arena arena() {
    return arena;
  }

  final Epilogue epilogue() {
    return epilogue;
  }

  final DType output() {
    return output;
  }

  /** The products of panels of one shape, by height. */
  final Dnnl.Matmul[] matmuls(int shape) {
    return matmuls[shape];
  }

  /** What one thread runs, by shape and height. */
  final Dnnl.Call[][] calls(int thread) {
    return calls[thread];
  }

  static boolean liesWell(Block block, long stride) {
    return block.memory().isNative() && (block.stride() == stride || block.rows() == 1);
  }

  @Override
  public final int columnGranularity() {
    return Panels.WIDTH;
  }

  @Override
  public final int worthwhileRows() {
    return WORTHWHILE_ROWS;
  }

  @Override
  public final void multiply(int thread, Block a, Block c, long firstColumn) {
    if (c.bytes() == 0) {
      return;
    }
    if (weights.inputs() == 0) {
      fillWithoutInputs(c, firstColumn);
    } else {
      multiplyPanels(thread, a, c, firstColumn);
    }
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
  public final void close() {
    for (Dnnl.Call[][] ofThread : calls) {
      closeAll(ofThread);
    }
    closeAll(matmuls);
    arena.close();
  }

  private static void closeAll(Dnnl.Handle[][] made) {
    for (Dnnl.Handle[] row : made) {
      for (Dnnl.Handle handle : row) {
        if (handle != null) {
          handle.close();
        }
      }
    }
  }
}
