// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The element types of a {@link Matrix}, in the byte order of the machine. */
public enum DType {
  /** bfloat16: the upper half of a float. */
  BF16(Short.BYTES) {
    @Override
    public float get(MemorySegment memory, long offset) {
      return Float.intBitsToFloat(memory.get(SHORT, offset) << 16);
    }

    @Override
    public void set(MemorySegment memory, long offset, float value) {
      memory.set(SHORT, offset, toBf16(value));
    }
  },

  /** IEEE 754 binary16. */
  F16(Short.BYTES) {
    @Override
    public float get(MemorySegment memory, long offset) {
      return Float.float16ToFloat(memory.get(SHORT, offset));
    }

    @Override
    public void set(MemorySegment memory, long offset, float value) {
      memory.set(SHORT, offset, Float.floatToFloat16(value));
    }
  },

  /** IEEE 754 binary32. */
  F32(Float.BYTES) {
    @Override
    public float get(MemorySegment memory, long offset) {
      return memory.get(FLOAT, offset);
    }

    @Override
    public void set(MemorySegment memory, long offset, float value) {
      memory.set(FLOAT, offset, value);
    }
  },

  /**
   * Integers from -127 to 127. What they stand for is their value times a scale, which lies beside
   * them.
   */
  I8(Byte.BYTES) {
    @Override
    public float get(MemorySegment memory, long offset) {
      return memory.get(ValueLayout.JAVA_BYTE, offset);
    }

    @Override
    public void set(MemorySegment memory, long offset, float value) {
      memory.set(ValueLayout.JAVA_BYTE, offset, (byte) round(value));
    }
  };

  /** The largest magnitude of an element of {@link #I8}: -128 is not used. */
  public static final int LARGEST_INT8 = 127;

  /** The types whose values are what they say, without a scale beside them. */
  public static final List<DType> REALS = List.of(BF16, F16, F32);

  // Unaligned, because a matrix may lie anywhere in a mapped file.
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int bytes;

  DType(int bytes) {
    this.bytes = bytes;
  }

  /** The size of one element in bytes. */
  public int bytes() {
    return bytes;
  }

  /** Reads the element at a byte offset. */
  public abstract float get(MemorySegment memory, long offset);

  /** Writes an element at a byte offset, rounded to the nearest value, ties to even. */
  public abstract void set(MemorySegment memory, long offset, float value);

  /** The value that an element of this type holds after {@code value} was stored in it. */
  public float round(float value) {
    return switch (this) {
      case BF16 -> Float.intBitsToFloat(toBf16(value) << 16);
      case F16 -> Float.float16ToFloat(Float.floatToFloat16(value));
      // A NaN becomes 0.
      case I8 -> Math.clamp((int) Math.rint(value), -LARGEST_INT8, LARGEST_INT8);
      case F32 -> value;
    };
  }

  /** Whether this is one of {@link #REALS}. */
  public boolean isReal() {
    return this != I8;
  }

  static short toBf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      // Rounding could carry a NaN into infinity; keep its sign and make it quiet instead.
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }
}
