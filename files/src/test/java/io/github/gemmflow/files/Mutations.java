// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.kit.Draw;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** Damages files at random: bits, bytes, ranges, and numbers where a format has them. */
final class Mutations {
  private static final List<Long> LENGTHS =
      List.of(0L, 1L, -1L, 10_000L, 100_000_000L, 100_000_001L, 1L << 31, 1L << 40, 1L << 63);

  private static final List<String> WORDS =
      List.of(
          "0",
          "-1",
          "1",
          "16",
          "2147483648",
          "4294967297",
          "9223372036854775807",
          "1e9",
          "0.5",
          "null",
          "{",
          "}",
          "[",
          "]",
          "(",
          ")",
          "\"",
          "'",
          ",",
          ":",
          "\n",
          "\\u0000",
          "BF16",
          "F64",
          "F4",
          "\"\":{}",
          "'descr'",
          "'shape'",
          "'<f2'",
          "'|O'",
          "True",
          "1L");

  /** Where a format says how long its header is. */
  enum Length {
    SAFETENSORS(0, Long.BYTES),
    NPY_1(8, Short.BYTES),
    NPY_2(8, Integer.BYTES);

    private final int at;
    private final int bytes;

    Length(int at, int bytes) {
      this.at = at;
      this.bytes = bytes;
    }
  }

  private final Draw draw;
  private final Length length;
  private byte[] bytes;

  private Mutations(Draw draw, Length length, byte[] bytes) {
    this.draw = draw;
    this.length = length;
    this.bytes = bytes;
  }

  /** A copy of {@code file} with up to 8 damages. The same seed does the same. */
  static byte[] mutate(byte[] file, Length length, long seed) {
    Draw draw = new Draw(seed);
    Mutations mutations = new Mutations(draw, length, file.clone());
    for (int left = 1 + draw.below(draw.chance(0.5) ? 1 : 8); left > 0; left--) {
      mutations.mutate();
    }
    return mutations.bytes;
  }

  private void mutate() {
    if (bytes.length == 0) {
      return;
    }
    int at = position();
    switch (draw.below(9)) {
      case 0 -> bytes[at] ^= (byte) (1 << draw.below(8));
      case 1 -> bytes[at] = (byte) draw.below(256);
      case 2 -> splice(at, Math.min(bytes.length, at + 1 + draw.below(16)), new byte[0]);
      case 3 -> splice(at, at, random(1 + draw.below(16)));
      case 4 -> splice(at, bytes.length, new byte[0]);
      case 5 -> splice(at, at, Arrays.copyOfRange(bytes, position(), bytes.length));
      case 6 -> length();
      case 7 -> number();
      default -> {
        byte[] word = word();
        splice(at, Math.min(bytes.length, at + draw.below(word.length + 1)), word);
      }
    }
  }

  /** More often near the beginning, where formats keep what they say about themselves. */
  private int position() {
    return draw.below(draw.chance(0.8) ? Math.min(bytes.length, 400) : bytes.length);
  }

  private byte[] word() {
    return draw.oneOf(WORDS).getBytes(UTF_8);
  }

  private byte[] random(int count) {
    byte[] values = new byte[count];
    for (int i = 0; i < count; i++) {
      values[i] = (byte) draw.below(256);
    }
    return values;
  }

  /** Puts another length into the file, often one that is off by little. */
  private void length() {
    if (bytes.length >= length.at + length.bytes) {
      ByteBuffer old = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      old.put(0, bytes, length.at, length.bytes);
      long other = draw.chance(0.5) ? old.getLong(0) + draw.below(33) - 16 : draw.oneOf(LENGTHS);
      old.putLong(0, other).get(0, bytes, length.at, length.bytes);
    }
  }

  /** Replaces a number in the text by another. */
  private void number() {
    int begin = position();
    while (begin < bytes.length && !isDigit(bytes[begin])) {
      begin++;
    }
    int end = begin;
    while (end < bytes.length && isDigit(bytes[end])) {
      end++;
    }
    splice(begin, end, word());
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private void splice(int begin, int end, byte[] replacement) {
    byte[] spliced = new byte[begin + replacement.length + bytes.length - end];
    System.arraycopy(bytes, 0, spliced, 0, begin);
    System.arraycopy(replacement, 0, spliced, begin, replacement.length);
    System.arraycopy(bytes, end, spliced, begin + replacement.length, bytes.length - end);
    bytes = spliced;
  }
}
