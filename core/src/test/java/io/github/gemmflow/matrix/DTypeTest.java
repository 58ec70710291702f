// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DTypeTest {
  @ParameterizedTest
  @EnumSource(DType.class)
  void storesWhatRoundSays(DType type) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(16);
      float[] values = {0, -0f, 1, -1, 1.1f, 3.14159f, 65504, 1e-7f, Float.POSITIVE_INFINITY};
      for (float value : values) {
        type.set(memory, 3, value);
        assertEquals(type.round(value), type.get(memory, 3), "an odd offset is fine");
      }
    }
  }

  /** Every 16-bit pattern that is a number survives the way to float and back. */
  @Test
  void everyBf16IsItself() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      float value = Float.intBitsToFloat(bits << 16);
      float back = DType.BF16.round(value);
      assertTrue(
          Float.isNaN(value)
              ? Float.isNaN(back)
              : Float.floatToRawIntBits(value) == Float.floatToRawIntBits(back),
          () -> Float.toHexString(value));
    }
  }

  /** The nearest of the two neighbours, and the even one if both are as near. */
  @Test
  void bf16RoundsToNearestEven() {
    assertEquals(1f, DType.BF16.round(Float.intBitsToFloat(0x3f808000)), "a tie, down to even");
    assertEquals(
        Float.intBitsToFloat(0x3f820000),
        DType.BF16.round(Float.intBitsToFloat(0x3f818000)),
        "a tie, up to even");
    assertEquals(
        Float.intBitsToFloat(0x3f810000), DType.BF16.round(Float.intBitsToFloat(0x3f808001)));
    assertEquals(Float.POSITIVE_INFINITY, DType.BF16.round(Float.MAX_VALUE));
    assertTrue(Float.isNaN(DType.BF16.round(Float.intBitsToFloat(0x7f800001))));
    assertTrue(Float.isNaN(DType.BF16.round(Float.intBitsToFloat(0xffffffff))));
  }
}
