// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Rows of bytes with scales, as they lie in a window. */
final class Int8Rows {
  private final Block block = new Block();
  private final MemorySegment memory;
  private final RowFormat format;
  private final long rows;

  Int8Rows(long rows, long columns, Arena arena) {
    this.format = new RowFormat(DType.I8, columns);
    this.rows = rows;
    this.memory = arena.allocate(Math.max(64, rows * format.bytes()), 64);
  }

  void set(long row, long column, int value) {
    memory.set(ValueLayout.JAVA_BYTE, row * format.bytes() + column, (byte) value);
  }

  int get(long row, long column) {
    return memory.get(ValueLayout.JAVA_BYTE, row * format.bytes() + column);
  }

  void scale(long row, float value) {
    memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, row * format.bytes() + format.scaleAt(), value);
  }

  float scale(long row) {
    return memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row * format.bytes() + format.scaleAt());
  }

  Block block(long first, long end) {
    long bytes = format.bytes();
    return block.at(memory, first * bytes, end - first, bytes, bytes);
  }

  /** Random, of full range, with random scales. */
  Int8Rows fill(SplittableRandom random) {
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < format.columns(); column++) {
        set(row, column, random.nextInt(-127, 128));
      }
      scale(row, (float) random.nextDouble(1e-3, 2));
    }
    return this;
  }
}
