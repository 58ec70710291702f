// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Rows of bytes at equal distances in memory: what a lane hands to an engine or a kernel.
 *
 * <p>A block is a flyweight that its owner points at one place after another, so that a step
 * creates no object. Whoever is handed one copies what it needs before it returns. Not thread-safe.
 */
public final class Block {
  private MemorySegment memory = MemorySegment.NULL;
  private long offset;
  private long rows;
  private long rowBytes;
  private long stride;

  /**
   * Points this block at a place.
   *
   * @param memory the memory that {@code offset} counts in
   * @param offset bytes from the start of {@code memory} to the first row
   * @param rows the number of rows
   * @param rowBytes bytes in each row
   * @param stride bytes from the start of one row to the start of the next
   * @return this block
   */
  public Block at(MemorySegment memory, long offset, long rows, long rowBytes, long stride) {
    this.memory = memory;
    this.offset = offset;
    this.rows = rows;
    this.rowBytes = rowBytes;
    this.stride = stride;
    return this;
  }

  /**
   * Narrows this block to some columns of its rows.
   *
   * @param from bytes from the start of a row
   * @param bytes bytes of each row
   * @return this block
   */
  public Block columns(long from, long bytes) {
    return at(memory, offset + from, rows, bytes, stride);
  }

  /**
   * Narrows this block to some of its rows.
   *
   * @return this block
   * @throws IndexOutOfBoundsException if it has no such rows
   */
  public Block rows(long first, long end) {
    Objects.checkFromToIndex(first, end, rows);
    return at(memory, offset + first * stride, end - first, rowBytes, stride);
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Bytes from the start of the memory to the first row. */
  public long offset() {
    return offset;
  }

  public long rows() {
    return rows;
  }

  /** Bytes in each row. */
  public long rowBytes() {
    return rowBytes;
  }

  /** Bytes from the start of one row to the start of the next. */
  public long stride() {
    return stride;
  }

  /** Bytes in all rows, without the gaps between them. */
  public long bytes() {
    return rows * rowBytes;
  }

  /** The memory from the first byte of the rows to the last. */
  public MemorySegment span() {
    return bytes() == 0
        ? memory.asSlice(0, 0)
        : memory.asSlice(offset, (rows - 1) * stride + rowBytes);
  }

  /** Whether there are no gaps between the rows. */
  public boolean isContiguous() {
    return stride == rowBytes || rows <= 1;
  }

  /** Copies the rows of {@code source}, which has as many bytes, into this block. */
  public void copyFrom(Block source) {
    if (source.rows != rows || source.rowBytes != rowBytes) {
      throw new IllegalArgumentException(
          "%d rows of %d bytes do not fit a block of %d rows of %d bytes"
              .formatted(source.rows, source.rowBytes, rows, rowBytes));
    }
    if (bytes() == 0) {
      return;
    }
    if (isContiguous() && source.isContiguous()) {
      MemorySegment.copy(source.memory, source.offset, memory, offset, bytes());
      return;
    }
    for (long row = 0; row < rows; row++) {
      MemorySegment.copy(
          source.memory,
          source.offset + row * source.stride,
          memory,
          offset + row * stride,
          rowBytes);
    }
  }
}
