// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.GatherLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this rank for its own rows of two streamed steps. It grows to the most rows that a step
 * had, and is no part of the window.
 */
final class OwnRows {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");
  private static final long ALIGNMENT = 64;

  private final int rank;
  private final MemorySegment[] memory = new MemorySegment[StepWindow.STEPS];
  private final @Nullable Arena[] arenas = new Arena[StepWindow.STEPS];

  OwnRows(int rank) {
    this.rank = rank;
    for (int buffer = 0; buffer < memory.length; buffer++) {
      memory[buffer] = MemorySegment.NULL;
    }
  }

  /**
   * Makes room for this rank's rows of a step that has not begun. The step before in the same
   * buffer is over.
   *
   * @throws IllegalArgumentException if no memory is that large
   */
  void reserve(int buffer, GatherLayout layout, long rows) {
    long bytes;
    try {
      bytes = Math.multiplyExact(rows, rowBytes(layout));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("no memory has room for %d rows".formatted(rows), e);
    }
    if (bytes > memory[buffer].byteSize()) {
      free(buffer);
      Arena arena = Arena.ofShared();
      arenas[buffer] = arena;
      memory[buffer] = arena.allocate(bytes, ALIGNMENT);
    }
  }

  private long rowBytes(GatherLayout layout) {
    return layout.columnBytes(layout.route(0, rank));
  }

  /** Points a block at rows of A of which this rank holds all or some columns. */
  Block rows(Block block, GatherStep step, long from, long to) {
    GatherLayout layout = step.layout();
    long rowBytes = rowBytes(layout);
    long offset = (from - layout.firstRow(rank)) * rowBytes;
    return block.at(memory[step.buffer()], offset, to - from, rowBytes, rowBytes);
  }

  /** How much memory it is now. */
  long bytes() {
    long sum = 0;
    for (MemorySegment segment : memory) {
      sum += segment.byteSize();
    }
    return sum;
  }

  void free() {
    for (int buffer = 0; buffer < memory.length; buffer++) {
      free(buffer);
    }
  }

  private void free(int buffer) {
    Arena arena = arenas[buffer];
    arenas[buffer] = null;
    memory[buffer] = MemorySegment.NULL;
    try {
      if (arena != null) {
        arena.close();
      }
    } catch (IllegalStateException e) {
      LOG.log(
          WARNING,
          "the input of a step that is over is in use by a native call or a channel; it is never freed");
    }
  }
}
