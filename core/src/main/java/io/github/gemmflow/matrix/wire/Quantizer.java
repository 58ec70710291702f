// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix.wire;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Rounding of rows to {@link DType#I8}, with one scale each: the largest magnitude becomes 127. A
 * row whose largest magnitude is below 2^-119 becomes zeros; one with a NaN or an infinity becomes
 * zeros with the scale NaN, so that whatever is computed from it is NaN. Not thread-safe.
 */
public final class Quantizer {
  /** Below it, the scale or its inverse would not be a normal number. */
  private static final float SMALLEST = 0x1p-119f;

  /**
   * Adding it rounds a float of at most 2^22 to a whole number, ties to even, as {@link Math#rint}
   * does for doubles.
   */
  private static final float ROUNDER = 0x1.8p23f;

  private static final int NO_SIGN = 0x7fffffff;

  private final Floats floats;
  private final float[] values;
  private final MemorySegment valueBits;
  private final int[] bits;
  private final byte[] rounded;

  /**
   * For rows of up to some length.
   *
   * @param most how many elements
   */
  public Quantizer(int most) {
    this.floats = new Floats(most);
    this.values = new float[most];
    this.valueBits = MemorySegment.ofArray(values);
    this.bits = new int[most];
    this.rounded = new byte[most];
  }

  /**
   * Rounds a matrix.
   *
   * @param a reals of any type
   * @param to integers, of the same shape
   * @param scales gets one for each row, in its first column
   */
  public void round(Matrix a, Matrix to, Matrix scales) {
    boolean fits = a.rows() == to.rows() && a.columns() == to.columns();
    if (!fits || !a.type().isReal()) {
      throw new IllegalArgumentException(
          "the input must be %d x %d of F32, BF16 or F16, not %s"
              .formatted(to.rows(), to.columns(), a));
    }
    long fromBytes = a.stride() * a.type().bytes();
    int columns = Math.toIntExact(a.columns());
    for (long row = 0; row < a.rows(); row++) {
      long from = row * fromBytes;
      long at = row * to.stride();
      scales.set(row, 0, round(a.type(), a.memory(), from, to.memory(), at, columns));
    }
  }

  /**
   * Rounds the elements of a row; returns its scale.
   *
   * @param type of what is rounded
   */
  public float round(
      DType type, MemorySegment from, long offset, MemorySegment to, long at, int count) {
    if (count == 0) {
      // Rows of nothing may lie anywhere.
      return 0;
    }
    floats.load(type, from, offset, values, count);
    return roundValues(to, at, count);
  }

  /** Rounds some values of an array; returns their scale. */
  float round(float[] from, int first, MemorySegment to, long at, int count) {
    System.arraycopy(from, first, values, 0, count);
    return roundValues(to, at, count);
  }

  private float roundValues(MemorySegment to, long at, int count) {
    float scale = roundValues(count);
    MemorySegment.copy(rounded, 0, to, ValueLayout.JAVA_BYTE, at, count);
    return scale;
  }

  /** Rounds the first values; returns their scale. */
  private float roundValues(int count) {
    float largest = largest(count);
    if (!(largest >= SMALLEST) || Float.isInfinite(largest)) {
      Arrays.fill(rounded, 0, count, (byte) 0);
      return largest < SMALLEST ? 0 : Float.NaN;
    }
    float factor = DType.LARGEST_INT8 / largest;
    for (int i = 0; i < count; i++) {
      rounded[i] = (byte) (int) (values[i] * factor + ROUNDER - ROUNDER);
    }
    return largest / DType.LARGEST_INT8;
  }

  /** As integers, magnitudes compare as they do as floats, infinities and NaN last: a fast loop. */
  private float largest(int count) {
    MemorySegment.copy(valueBits, ValueLayout.JAVA_INT, 0, bits, 0, count);
    int largest = 0;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, bits[i] & NO_SIGN);
    }
    return Float.intBitsToFloat(largest);
  }
}
