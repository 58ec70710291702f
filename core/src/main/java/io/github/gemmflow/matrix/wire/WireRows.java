// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix.wire;

import static io.github.gemmflow.matrix.RowFormat.BLOCK;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Copies of parts of rows between an array of floats and memory in which they lie as they travel
 * ({@link RowFormat#onTheWire}): {@link DType#I8} in blocks, which {@link Quantizer} rounds, or
 * reals. Not thread-safe.
 */
public final class WireRows {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final Floats floats;
  private final Quantizer quantizer = new Quantizer(BLOCK);
  private final byte[] bytes = new byte[BLOCK];

  /**
   * For parts of up to some length.
   *
   * @param most how many elements
   */
  public WireRows(int most) {
    this.floats = new Floats(most);
  }

  /**
   * Reads into the start of an array.
   *
   * @param row bytes from the start of the memory to the row
   * @param column where the part begins: where a block does
   * @param count how many elements: whole blocks, unless the row ends there
   */
  public void load(
      DType type, MemorySegment memory, long row, long column, float[] values, int count) {
    if (type.isReal()) {
      floats.load(type, memory, row + column * type.bytes(), values, count);
      return;
    }
    long at = row + column / BLOCK * RowFormat.BLOCK_BYTES;
    for (int first = 0; first < count; first += BLOCK) {
      int width = Math.min(BLOCK, count - first);
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, bytes, 0, width);
      float scale = memory.get(FLOAT, at + width);
      for (int i = 0; i < width; i++) {
        values[first + i] = bytes[i] * scale;
      }
      at += RowFormat.BLOCK_BYTES;
    }
  }

  /** Writes the start of an array; see {@link #load}. */
  public void store(
      DType type, MemorySegment memory, long row, long column, float[] values, int count) {
    if (type.isReal()) {
      floats.store(type, memory, row + column * type.bytes(), values, count);
      return;
    }
    long at = row + column / BLOCK * RowFormat.BLOCK_BYTES;
    for (int first = 0; first < count; first += BLOCK) {
      int width = Math.min(BLOCK, count - first);
      float scale = quantizer.round(values, first, memory, at, width);
      memory.set(FLOAT, at + width, scale);
      at += RowFormat.BLOCK_BYTES;
    }
  }
}
