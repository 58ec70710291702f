// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.StepPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of this rank for its own rows of two streamed steps. It grows to the most rows that a step
 * had, and is no part of the window.
 */
final class Home {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");
  private static final long ALIGNMENT = 64;

  private final int rank;
  private final MemorySegment[] memory = new MemorySegment[Space.STEPS];
  private final @Nullable Arena[] arenas = new Arena[Space.STEPS];

  Home(int rank) {
    this.rank = rank;
    for (int room = 0; room < memory.length; room++) {
      memory[room] = MemorySegment.NULL;
    }
  }

  /**
   * Makes room for this rank's rows of a step that has not begun. The step before in the same room
   * is over.
   *
   * @throws IllegalArgumentException if no memory is that large
   */
  void reserve(int room, StepPlan plan, long rows) {
    long bytes;
    try {
      bytes = Math.multiplyExact(rows, rowBytes(plan));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("no memory has room for %d rows".formatted(rows), e);
    }
    if (bytes > memory[room].byteSize()) {
      free(room);
      Arena arena = Arena.ofShared();
      arenas[room] = arena;
      memory[room] = arena.allocate(bytes, ALIGNMENT);
    }
  }

  private long rowBytes(StepPlan plan) {
    return plan.columnBytes(plan.route(0, rank));
  }

  /** Points a block at rows of A of which this rank holds all or some columns. */
  Block rows(Block block, OpenStep step, long from, long to) {
    StepPlan plan = step.plan();
    long rowBytes = rowBytes(plan);
    long offset = (from - plan.firstRow(rank)) * rowBytes;
    return block.at(memory[step.room()], offset, to - from, rowBytes, rowBytes);
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
    for (int room = 0; room < memory.length; room++) {
      free(room);
    }
  }

  private void free(int room) {
    Arena arena = arenas[room];
    arenas[room] = null;
    memory[room] = MemorySegment.NULL;
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
