// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.wire.Quantizer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Weights as int8 with one scale for each column of B: either so from the beginning, or rounded as
 * kernels read them, some columns at a time. For kernels.
 */
public final class Int8Columns {
  /** Sums of more products may not fit an int, where instructions take one factor as unsigned. */
  static final long MOST_INPUTS = 1 << 16;

  /** Columns that are read at a time. */
  private static final int WIDTH = 64;

  private final Matrix weights;
  private final @Nullable Matrix scales;
  private final WeightLayout layout;

  private Int8Columns(Matrix weights, @Nullable Matrix scales, WeightLayout layout) {
    this.weights = weights;
    this.scales = scales;
    this.layout = layout;
  }

  /** Packs them for a kernel that has int8; those of very many inputs in slices. */
  public PackedWeights packFor(Kernel kernel) {
    return inputs() > MOST_INPUTS ? new SplitInt8(kernel, this) : kernel.pack(this);
  }

  /** Reals, each column of which is rounded to multiples of its largest magnitude / 127. */
  public static Int8Columns rounding(Matrix weights, WeightLayout layout) {
    Kernel.checkReals(weights);
    return new Int8Columns(weights, null, layout);
  }

  /**
   * Integers and their scales.
   *
   * @param weights of type I8
   * @param scales one for each output, in one row or one column, of reals
   */
  public static Int8Columns of(Matrix weights, Matrix scales, WeightLayout layout) {
    Int8Columns columns = new Int8Columns(weights, scales, layout);
    boolean isLine = scales.rows() == 1 || scales.columns() == 1;
    boolean fits = isLine && scales.rows() * scales.columns() == columns.outputs();
    if (weights.type() != DType.I8 || !scales.type().isReal() || !fits) {
      throw new IllegalArgumentException(
          "weights in int8 are I8 with a real scale for each of their %d outputs, not %s with scales of %s"
              .formatted(columns.outputs(), weights, scales));
    }
    return columns;
  }

  /** How the weights were said to lie. */
  public WeightLayout layout() {
    return layout;
  }

  /** The rows of B. */
  public long inputs() {
    return layout == WeightLayout.OUT_IN ? weights.columns() : weights.rows();
  }

  /** The columns of B. */
  public long outputs() {
    return layout == WeightLayout.OUT_IN ? weights.rows() : weights.columns();
  }

  /**
   * Reads some columns.
   *
   * @param target gets them row by row: {@code inputs x width} bytes
   * @param columnScales gets their scales
   */
  public void read(long first, int width, MemorySegment target, float[] columnScales) {
    if (scales != null) {
      for (int j = 0; j < width; j++) {
        columnScales[j] = scale(scales, first + j);
      }
    }
    if (scales != null && layout == WeightLayout.IN_OUT) {
      for (long k = 0; k < inputs(); k++) {
        long from = k * weights.stride() + first;
        MemorySegment.copy(weights.memory(), from, target, k * width, width);
      }
    } else {
      transpose(columns(first, width, columnScales), target);
    }
  }

  /** All of B as reals, {@code inputs x outputs}, in F32. */
  public Matrix toReals(Arena arena) {
    Matrix reals = Matrix.allocate(DType.F32, inputs(), outputs(), arena);
    Matrix ofColumns = Matrix.allocate(DType.F32, 1, outputs(), arena);
    readAll(reals, ofColumns);
    for (long k = 0; k < inputs(); k++) {
      for (long j = 0; j < outputs(); j++) {
        reals.set(k, j, reals.get(k, j) * ofColumns.get(0, j));
      }
    }
    return reals;
  }

  /**
   * Reads all columns.
   *
   * @param target {@code inputs x outputs} of any type
   * @param ofColumns one row, gets their scales
   */
  void readAll(Matrix target, Matrix ofColumns) {
    int inputs = Math.toIntExact(inputs());
    byte[] bytes = new byte[Math.multiplyExact(inputs, WIDTH)];
    float[] columnScales = new float[WIDTH];
    for (long first = 0; first < outputs(); first += WIDTH) {
      int width = (int) Math.min(WIDTH, outputs() - first);
      read(first, width, MemorySegment.ofArray(bytes), columnScales);
      for (int j = 0; j < width; j++) {
        ofColumns.set(0, first + j, columnScales[j]);
      }
      for (int k = 0; k < inputs; k++) {
        for (int j = 0; j < width; j++) {
          target.set(k, first + j, bytes[k * width + j]);
        }
      }
    }
  }

  private static float scale(Matrix scales, long output) {
    return scales.rows() == 1 ? scales.get(0, output) : scales.get(output, 0);
  }

  /**
   * Some columns, each for itself, as rounding wants them; their scales, too, if none are given.
   */
  private byte[][] columns(long first, int width, float[] columnScales) {
    int inputs = Math.toIntExact(inputs());
    byte[][] columns = new byte[width][inputs];
    Quantizer quantizer = new Quantizer(inputs);
    boolean outIn = layout == WeightLayout.OUT_IN;
    DType type = outIn ? weights.type() : DType.F32;
    MemorySegment source = outIn ? weights.memory() : realColumns(first, width);
    long stride = outIn ? weights.stride() : inputs;
    long begin = outIn ? first : 0;
    // Columns of nothing may lie anywhere.
    for (int j = 0; j < width && inputs > 0; j++) {
      long from = (begin + j) * stride * type.bytes();
      if (scales == null) {
        MemorySegment to = MemorySegment.ofArray(columns[j]);
        columnScales[j] = quantizer.round(type, source, from, to, 0, inputs);
      } else {
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, from, columns[j], 0, inputs);
      }
    }
    return columns;
  }

  /** Some columns of weights that lie row by row, one after the other, in F32. */
  private MemorySegment realColumns(long first, int width) {
    int inputs = Math.toIntExact(inputs());
    float[] reals = new float[Math.multiplyExact(inputs, width)];
    Floats floats = new Floats(width);
    float[] row = new float[width];
    for (int k = 0; k < inputs; k++) {
      long from = (k * weights.stride() + first) * weights.type().bytes();
      floats.load(weights.type(), weights.memory(), from, row, width);
      for (int j = 0; j < width; j++) {
        reals[j * inputs + k] = row[j];
      }
    }
    return MemorySegment.ofArray(reals);
  }

  private static void transpose(byte[][] columns, MemorySegment to) {
    int width = columns.length;
    int inputs = columns[0].length;
    byte[] target = new byte[Math.multiplyExact(inputs, width)];
    for (int j = 0; j < width; j++) {
      byte[] column = columns[j];
      for (int k = 0; k < inputs; k++) {
        target[k * width + j] = column[k];
      }
    }
    MemorySegment.copy(target, 0, to, ValueLayout.JAVA_BYTE, 0, target.length);
  }
}
