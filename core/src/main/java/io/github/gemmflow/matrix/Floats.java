// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies of runs of elements of any type between memory and an array of floats, in loops over
 * arrays, which the compiler vectorises. Not thread-safe.
 */
public final class Floats {
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final short[] shorts;
  private final byte[] bytes;
  private final int[] ints;
  private final MemorySegment intBits;

  /**
   * For runs of up to some length.
   *
   * @param most how many elements
   */
  public Floats(int most) {
    this.shorts = new short[most];
    this.bytes = new byte[most];
    this.ints = new int[most];
    this.intBits = MemorySegment.ofArray(ints);
  }

  /** Reads elements into the start of an array. */
  public void load(DType type, MemorySegment memory, long offset, float[] values, int count) {
    if (type == DType.F32) {
      MemorySegment.copy(memory, FLOAT, offset, values, 0, count);
      return;
    }
    if (type == DType.I8) {
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, count);
      for (int i = 0; i < count; i++) {
        values[i] = bytes[i];
      }
      return;
    }
    short[] bits = shorts;
    MemorySegment.copy(memory, SHORT, offset, bits, 0, count);
    if (type == DType.BF16) {
      // By way of integers: the compiler does not vectorise what turns one into a float.
      int[] wide = ints;
      for (int i = 0; i < count; i++) {
        wide[i] = bits[i] << 16;
      }
      MemorySegment.copy(intBits, FLOAT, 0, values, 0, count);
    } else {
      for (int i = 0; i < count; i++) {
        values[i] = Float.float16ToFloat(bits[i]);
      }
    }
  }

  /** Writes the start of an array, rounded to the nearest value of the type, ties to even. */
  public void store(DType type, MemorySegment memory, long offset, float[] values, int count) {
    if (type == DType.F32) {
      MemorySegment.copy(values, 0, memory, FLOAT, offset, count);
      return;
    }
    if (type == DType.I8) {
      for (int i = 0; i < count; i++) {
        bytes[i] = (byte) type.round(values[i]);
      }
      MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, count);
      return;
    }
    short[] bits = shorts;
    if (type == DType.BF16) {
      for (int i = 0; i < count; i++) {
        bits[i] = DType.toBf16(values[i]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        bits[i] = Float.floatToFloat16(values[i]);
      }
    }
    MemorySegment.copy(bits, 0, memory, SHORT, offset, count);
  }
}
