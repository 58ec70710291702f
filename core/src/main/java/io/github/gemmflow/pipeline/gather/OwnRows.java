// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.GatherLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this rank for its own rows of the streamed steps in a buffer. It grows to the most rows
 * that a step had, and is no part of the window.
 */
final class OwnRows {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");
  private static final long ALIGNMENT = 64;

  private final int rank;
  private MemorySegment memory = MemorySegment.NULL;
  private @Nullable Arena arena;

  OwnRows(int rank) {
    this.rank = rank;
  }

  /**
   * Makes room for this rank's rows of a step that has not begun. The step before in the same
   * buffer is over.
   *
   * @throws IllegalArgumentException if no memory is that large
   */
  void reserve(GatherLayout layout, long rows) {
    long bytes;
    try {
      bytes = Math.multiplyExact(rows, rowBytes(layout));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("%d rows are larger than any memory".formatted(rows), e);
    }
    if (bytes > memory.byteSize()) {
      free();
      Arena larger = Arena.ofShared();
      arena = larger;
      memory = larger.allocate(bytes, ALIGNMENT);
    }
  }

  private long rowBytes(GatherLayout layout) {
    return layout.columnBytes(layout.route(0, rank));
  }

  /** Points a block at rows of A of which this rank holds all or some columns. */
  Block rows(Block block, GatherLayout layout, long from, long to) {
    long rowBytes = rowBytes(layout);
    long offset = (from - layout.firstRow(rank)) * rowBytes;
    return block.at(memory, offset, to - from, rowBytes, rowBytes);
  }

  /** Points a block at a chunk of this rank's rows. */
  Block chunk(Block block, GatherLayout layout, int route, long chunk) {
    return rows(
        block, layout, layout.chunkBegin(route, chunk), layout.chunkBegin(route, chunk + 1));
  }

  /** How much memory it is now. */
  long bytes() {
    return memory.byteSize();
  }

  void free() {
    Arena old = arena;
    arena = null;
    memory = MemorySegment.NULL;
    try {
      if (old != null) {
        old.close();
      }
    } catch (IllegalStateException e) {
      LOG.log(
          WARNING,
          "the input of a step that has ended is still in use by a native call or a channel; its memory is never freed");
    }
  }
}
