// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel.onednn;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.Dnnl;
import io.github.gemmflow.onednn.LargePages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out, by trying, in which heights oneDNN computes the same bits as in {@link Ladder#STEP}
 * rows. Measured with oneDNN 3.11: a lone row may be summed in another order, few rows of a small
 * product may be given to other instructions, and for some numbers of inputs tall products are cut
 * differently; no rule that could be relied on tells when.
 */
final class SameBits {
  private static final long ALIGNMENT = 64;

  /** What the order of summation may depend on. */
  private record Kind(
      DType type,
      long inputs,
      long outputs,
      DType output,
      long cStride,
      boolean bias,
      Activation activation) {}

  private static final Map<Kind, boolean[]> KNOWN = new ConcurrentHashMap<>();

  private final Dnnl.Layout layout;
  private final DType output;
  private final long cStride;
  private final Arena arena;
  private final MemorySegment a;
  private final MemorySegment weights;
  private final MemorySegment bias;

  private SameBits(Dnnl.Layout layout, DType output, long cStride, Arena arena) {
    this.layout = layout;
    this.output = output;
    this.cStride = cStride;
    this.arena = arena;
    this.a = repeatedRows();
    MemorySegment plain = random(layout.inputs(), layout.outputs(), 2);
    this.weights = LargePages.allocate(layout.bytes(), arena);
    layout.pack(plain, layout.outputs(), 1, weights);
    this.bias = arena.allocate(layout.outputs() * Float.BYTES, ALIGNMENT);
  }

  /**
   * The heights that agree. Takes some milliseconds when it is asked for the first time.
   *
   * @param matmuls one for each height of {@link Ladder}
   * @param output the type of C
   * @param cStride elements from one row of C to the next
   */
  static boolean[] agreeing(
      Dnnl.Layout layout,
      Dnnl.Matmul[] matmuls,
      DType output,
      long cStride,
      boolean bias,
      Activation activation) {
    Kind kind =
        new Kind(
            layout.type(), layout.inputs(), layout.outputs(), output, cStride, bias, activation);
    return KNOWN.computeIfAbsent(
        kind,
        k -> {
          try (Arena arena = Arena.ofShared()) {
            return new SameBits(layout, output, cStride, arena).compare(matmuls);
          }
        });
  }

  private boolean[] compare(Dnnl.Matmul[] matmuls) {
    Dnnl.Matmul step = matmuls[Ladder.step()];
    Matrix expected = product(step, Ladder.STEP);
    boolean[] agrees = new boolean[matmuls.length];
    for (int i = 0; i < agrees.length; i++) {
      // Other instructions round differently now and then, which one try may not show.
      agrees[i] =
          matmuls[i].implementation().equals(step.implementation())
              && isSame(product(matmuls[i], Ladder.height(i)), expected);
    }
    return agrees;
  }

  /** The same rows again and again, for the tallest height. */
  private MemorySegment repeatedRows() {
    int tallest = Ladder.height(Ladder.count() - 1);
    MemorySegment rows = random(Ladder.STEP, layout.inputs(), 1);
    MemorySegment all = LargePages.allocate(tallest / Ladder.STEP * rows.byteSize(), arena);
    for (long at = 0; at < all.byteSize(); at += rows.byteSize()) {
      MemorySegment.copy(rows, 0, all, at, rows.byteSize());
    }
    return all;
  }

  private MemorySegment random(long rows, long columns, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    DType type = layout.type();
    MemorySegment memory = arena.allocate(rows * columns * type.bytes(), ALIGNMENT);
    for (long at = 0; at < memory.byteSize(); at += type.bytes()) {
      type.set(memory, at, (float) random.nextDouble(-1, 1));
    }
    return memory;
  }

  private Matrix product(Dnnl.Matmul matmul, int rows) {
    MemorySegment c = LargePages.allocate(rows * cStride * output.bytes(), arena);
    try (Dnnl.Call call = matmul.newCall(arena.allocate(matmul.scratchBytes(), ALIGNMENT))) {
      call.run(a.address(), weights.address(), bias.address(), c.address());
    }
    return Matrix.wrap(c, output, rows, layout.outputs(), cStride);
  }

  /** Rows repeat themselves. */
  private static boolean isSame(Matrix c, Matrix expected) {
    for (long row = 0; row < c.rows(); row++) {
      MemorySegment mine = c.rows(row, row + 1).memory();
      MemorySegment other = expected.rows(row % Ladder.STEP, row % Ladder.STEP + 1).memory();
      if (mine.mismatch(other) >= 0) {
        return false;
      }
    }
    return true;
  }
}
