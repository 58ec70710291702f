// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import static java.util.Objects.requireNonNull;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Quantizer;
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
  private static final long MOST_INPUTS = 1 << 16;

  private final Matrix weights;
  private final @Nullable Matrix scales;
  private final WeightLayout layout;

  private Int8Columns(Matrix weights, @Nullable Matrix scales, WeightLayout layout) {
    this.weights = weights;
    this.scales = scales;
    this.layout = layout;
    if (inputs() > MOST_INPUTS) {
      throw new IllegalArgumentException(
          "weights in int8 can have up to %d inputs, not %d: sums could exceed an int32; pack them as BF16 or F32"
              .formatted(MOST_INPUTS, inputs()));
    }
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
    int inputs = Math.toIntExact(inputs());
    try (Arena arena = Arena.ofConfined()) {
      // One column after the other, as the rounding wants them.
      MemorySegment columns = arena.allocate((long) inputs * width);
      for (int j = 0; j < width; j++) {
        columnScales[j] = scales == null ? 0 : scale(first + j);
      }
      if (layout == WeightLayout.OUT_IN) {
        readRows(first, width, columns, columnScales);
      } else {
        readColumns(first, width, columns, columnScales);
      }
      transpose(columns, inputs, width, target);
    }
  }

  /** All of B as reals, {@code inputs x outputs}, in F32. */
  public Matrix toReals(Arena arena) {
    int inputs = Math.toIntExact(inputs());
    Matrix reals = Matrix.allocate(DType.F32, inputs, outputs(), arena);
    byte[] column = new byte[inputs];
    float[] columnScale = new float[1];
    for (long j = 0; j < outputs(); j++) {
      read(j, 1, MemorySegment.ofArray(column), columnScale);
      for (int k = 0; k < inputs; k++) {
        reals.set(k, j, column[k] * columnScale[0]);
      }
    }
    return reals;
  }

  private float scale(long output) {
    Matrix given = requireNonNull(scales);
    return given.rows() == 1 ? given.get(0, output) : given.get(output, 0);
  }

  private void readRows(long first, int width, MemorySegment columns, float[] columnScales) {
    int inputs = Math.toIntExact(inputs());
    Quantizer quantizer = new Quantizer(inputs);
    long rowBytes = weights.stride() * weights.type().bytes();
    for (int j = 0; j < width; j++) {
      long from = (first + j) * rowBytes;
      long to = (long) j * inputs;
      if (inputs == 0) {
        // Columns of nothing may lie anywhere.
        columnScales[j] = 0;
      } else if (scales != null) {
        MemorySegment.copy(weights.memory(), from, columns, to, inputs);
      } else {
        columnScales[j] =
            quantizer.round(weights.type(), weights.memory(), from, columns, to, inputs);
      }
    }
  }

  private void readColumns(long first, int width, MemorySegment columns, float[] columnScales) {
    int inputs = Math.toIntExact(inputs());
    DType type = weights.type();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment reals =
          scales != null ? MemorySegment.NULL : arena.allocate(4L * inputs * width);
      Floats floats = new Floats(width);
      float[] row = new float[width];
      for (int k = 0; k < inputs; k++) {
        long from = (k * weights.stride() + first) * type.bytes();
        floats.load(type, weights.memory(), from, row, width);
        for (int j = 0; j < width; j++) {
          long at = (long) j * inputs + k;
          if (scales != null) {
            columns.set(ValueLayout.JAVA_BYTE, at, (byte) row[j]);
          } else {
            reals.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at, row[j]);
          }
        }
      }
      Quantizer quantizer = new Quantizer(inputs);
      for (int j = 0; j < width && scales == null; j++) {
        long at = (long) j * inputs;
        columnScales[j] = quantizer.round(DType.F32, reals, at * Float.BYTES, columns, at, inputs);
      }
    }
  }

  private static void transpose(MemorySegment columns, int inputs, int width, MemorySegment to) {
    byte[] column = new byte[inputs];
    byte[] target = new byte[Math.multiplyExact(inputs, width)];
    for (int j = 0; j < width; j++) {
      MemorySegment.copy(columns, ValueLayout.JAVA_BYTE, (long) j * inputs, column, 0, inputs);
      for (int k = 0; k < inputs; k++) {
        target[k * width + j] = column[k];
      }
    }
    MemorySegment.copy(target, 0, to, ValueLayout.JAVA_BYTE, 0, target.length);
  }
}
