// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.LargePages;
import io.github.gemmflow.onednn.binding.MatmulSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Trial of the heights in which oneDNN computes the same bits as in {@link Ladder#STEP} rows.
 * Measured with oneDNN 3.11: a lone row may be summed in another order, few rows of a small product
 * may be given to other instructions, and for some numbers of inputs tall products are cut
 * differently; no rule that could be relied on tells when.
 */
final class SameBits {
  private static final long ALIGNMENT = 64;

  /**
   * Values differ in size by so many bits that sums of few of them are rounded, and are so large
   * that what is lost is not too small for F16.
   */
  private static final int MOST_BITS = 9;

  /** Elements of C, of which one will differ if the order does. */
  private static final long ENOUGH = 4096;

  private static final int TALLEST = Ladder.height(Ladder.count() - 1);

  /** What the order of summation may depend on. */
  private record Kind(DType rowType, DType type, long inputs, long outputs, MatmulSpec spec) {}

  private static final Map<Kind, boolean[]> KNOWN = new ConcurrentHashMap<>();

  private final Dnnl.Layout layout;
  private final DType output;
  private final long cStride;
  private final Arena arena;
  private final int enough;
  private final int[] pairs;
  private final MemorySegment a;
  private final MemorySegment weights;
  private final MemorySegment scales;
  private final MemorySegment bias;

  private SameBits(Dnnl.Layout layout, MatmulSpec spec, Arena arena) {
    this.layout = layout;
    this.output = spec.output();
    this.cStride = spec.outputStride();
    this.arena = arena;
    this.enough = Math.clamp(Math.ceilDiv(ENOUGH, layout.outputs()), 1, TALLEST);
    this.pairs = shuffled(layout.inputs());
    this.a = repeatedRows();
    this.weights = LargePages.allocate(layout.bytes(), arena);
    layout.pack(plainWeights().memory(), layout.outputs(), 1, weights);
    this.scales = arena.allocate(layout.outputs() * Float.BYTES, ALIGNMENT);
    Matrix.wrap(scales, DType.F32, 1, layout.outputs()).fill(1);
    this.bias = arena.allocate(layout.outputs() * Float.BYTES, ALIGNMENT);
  }

  /**
   * The heights that agree. Takes some milliseconds when it is asked for the first time.
   *
   * @param matmuls one for each height of {@link Ladder}
   * @param spec that of {@link Ladder#STEP} rows
   */
  static boolean[] agreeing(Dnnl.Layout layout, Dnnl.Matmul[] matmuls, MatmulSpec spec) {
    Kind kind = new Kind(layout.rowType(), layout.type(), layout.inputs(), layout.outputs(), spec);
    return KNOWN.computeIfAbsent(
        kind,
        k -> {
          try (Arena arena = Arena.ofShared()) {
            return new SameBits(layout, spec, arena).compare(matmuls);
          }
        });
  }

  private boolean[] compare(Dnnl.Matmul[] matmuls) {
    Dnnl.Matmul step = matmuls[Ladder.step()];
    Matrix expected = product(step, Ladder.STEP, room(wholeCalls(Ladder.STEP)));
    MemorySegment c = room(TALLEST);
    boolean[] agrees = new boolean[matmuls.length];
    for (int i = 0; i < agrees.length; i++) {
      // Other instructions round differently now and then, which one try may not show.
      agrees[i] =
          matmuls[i].implementation().equals(step.implementation())
              && isSame(product(matmuls[i], Ladder.height(i), c), expected);
    }
    return agrees;
  }

  /** About enough rows, in calls of one height. */
  private long wholeCalls(int height) {
    return (long) Math.max(1, enough / height) * height;
  }

  /** The same rows again and again, for the tallest height. */
  private MemorySegment repeatedRows() {
    MemorySegment rows = plainRows().memory();
    long bytes = layout.inputs() * layout.rowType().bytes();
    MemorySegment all = LargePages.allocate(TALLEST * bytes, arena);
    for (long at = 0; at < all.byteSize(); at += rows.byteSize()) {
      MemorySegment.copy(rows, 0, all, at, Math.min(rows.byteSize(), all.byteSize() - at));
    }
    return all;
  }

  /** Inputs that cancel each other, two by two, far apart. */
  private static int[] shuffled(long inputs) {
    int[] numbers = IntStream.range(0, Math.toIntExact(inputs)).toArray();
    SplittableRandom random = new SplittableRandom(3);
    for (int i = numbers.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int number = numbers[i];
      numbers[i] = numbers[j];
      numbers[j] = number;
    }
    return numbers;
  }

  /**
   * With {@link #plainWeights}, all sums are zero but for what is lost by rounding. That depends on
   * the order from the first digit on, which shows even in the few digits of a short type.
   */
  private Matrix plainRows() {
    Matrix rows = random(layout.rowType(), wholeCalls(Ladder.STEP), layout.inputs(), 1);
    for (long row = 0; row < rows.rows(); row++) {
      for (int i = 0; i + 1 < pairs.length; i += 2) {
        rows.set(row, pairs[i + 1], -rows.get(row, pairs[i]));
      }
      if (pairs.length % 2 == 1) {
        rows.set(row, pairs[pairs.length - 1], 0);
      }
    }
    return rows;
  }

  private Matrix plainWeights() {
    Matrix plain = random(layout.type(), layout.inputs(), layout.outputs(), 2);
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      int first = pairs[i];
      int second = pairs[i + 1];
      plain.rows(second, second + 1).memory().copyFrom(plain.rows(first, first + 1).memory());
    }
    return plain;
  }

  private Matrix random(DType type, long rows, long columns, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    MemorySegment memory = arena.allocate(rows * columns * type.bytes(), ALIGNMENT);
    for (long at = 0; at < memory.byteSize(); at += type.bytes()) {
      int size = 1 << random.nextInt(MOST_BITS);
      type.set(memory, at, (float) random.nextDouble(-size, size));
    }
    return Matrix.wrap(memory, type, rows, columns);
  }

  /** For so many rows of C. */
  private MemorySegment room(long rows) {
    return LargePages.allocate(rows * cStride * output.bytes(), arena);
  }

  private Matrix product(Dnnl.Matmul matmul, int height, MemorySegment c) {
    long rows = wholeCalls(height);
    long aBytes = layout.inputs() * layout.rowType().bytes();
    try (Dnnl.Call call = matmul.newCall(arena.allocate(matmul.scratchBytes(), ALIGNMENT))) {
      for (long row = 0; row < rows; row += height) {
        long target = c.address() + row * cStride * output.bytes();
        long from = a.address() + row * aBytes;
        call.run(a, from, 0, weights.address(), scales.address(), bias.address(), c, target);
      }
    }
    return Matrix.wrap(c, output, rows, layout.outputs(), cStride);
  }

  /** Rows repeat themselves. */
  private static boolean isSame(Matrix c, Matrix expected) {
    for (long row = 0; row < c.rows(); row++) {
      long same = row % expected.rows();
      MemorySegment mine = c.rows(row, row + 1).memory();
      MemorySegment other = expected.rows(same, same + 1).memory();
      if (mine.mismatch(other) >= 0) {
        return false;
      }
    }
    return true;
  }
}
