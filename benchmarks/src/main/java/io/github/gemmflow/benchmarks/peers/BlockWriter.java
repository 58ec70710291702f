// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/**
 * Writer of random tensors, in F32 or in blocks of 32 elements of four or eight bits with a scale
 * in F16, as ggml and those who follow it have them. Products of them stay about 1.
 */
final class BlockWriter {
  static final int BLOCK = 32;

  private final OutputStream out;
  private final SplittableRandom random = new SplittableRandom(1);
  private long written;

  BlockWriter(OutputStream out) {
    this.out = out;
  }

  /** Bytes so far. */
  long written() {
    return written;
  }

  void bytes(byte[] values) throws IOException {
    out.write(values);
    written += values.length;
  }

  /** Values around a mean, in F32. */
  void floats(long count, double mean, double deviation) throws IOException {
    ByteBuffer some = buffer(Float.BYTES * (int) Math.min(count, 1 << 16));
    for (long left = count; left > 0; left--) {
      some.putFloat((float) random.nextGaussian(mean, deviation));
      if (!some.hasRemaining() || left == 1) {
        flush(some);
      }
    }
  }

  /** Weights with so many inputs, 18 bytes for each 32: a scale, and 16 bytes of two elements. */
  void fourBits(long outputs, long inputs) throws IOException {
    // From -8 to 7, which deviate by 4.6.
    blocks(outputs * inputs / BLOCK, BLOCK / 2, 1 / (4.6 * Math.sqrt((double) inputs)));
  }

  /** The same with 34 bytes for each 32. */
  void eightBits(long outputs, long inputs) throws IOException {
    // From -128 to 127, which deviate by 74.
    blocks(outputs * inputs / BLOCK, BLOCK, 1 / (74 * Math.sqrt((double) inputs)));
  }

  private void blocks(long count, int size, double scale) throws IOException {
    byte[] elements = new byte[size];
    short half = Float.floatToFloat16((float) scale);
    ByteBuffer some = buffer((Short.BYTES + size) << 12);
    for (long left = count; left > 0; left--) {
      random.nextBytes(elements);
      some.putShort(half).put(elements);
      if (!some.hasRemaining() || left == 1) {
        flush(some);
      }
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void flush(ByteBuffer some) throws IOException {
    byte[] bytes = new byte[some.position()];
    some.flip().get(bytes);
    bytes(bytes);
    some.clear();
  }
}
