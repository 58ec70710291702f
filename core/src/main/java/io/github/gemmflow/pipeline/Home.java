// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

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
  private static final long ALIGNMENT = 64;

  private final int rank;
  private final @Nullable Arena[] arenas = new Arena[Space.STEPS];
  private final MemorySegment[] memory = new MemorySegment[Space.STEPS];

  Home(int rank) {
    this.rank = rank;
    for (int slot = 0; slot < memory.length; slot++) {
      memory[slot] = MemorySegment.NULL;
    }
  }

  /** Makes room for this rank's rows of a step. The step before in the same slot is over. */
  void reserve(OpenStep step) {
    int slot = step.slot();
    StepPlan plan = step.plan();
    long bytes = plan.rows(rank) * plan.columnBytes(rank);
    if (bytes <= memory[slot].byteSize()) {
      return;
    }
    free(slot);
    Arena arena = Arena.ofShared();
    arenas[slot] = arena;
    memory[slot] = arena.allocate(bytes, ALIGNMENT);
  }

  /** Points a block at rows of A of which this rank holds all or some columns. */
  Block rows(Block block, OpenStep step, long from, long to) {
    StepPlan plan = step.plan();
    long rowBytes = plan.columnBytes(rank);
    long offset = (from - plan.firstRow(rank)) * rowBytes;
    return block.at(memory[step.slot()], offset, to - from, rowBytes, rowBytes);
  }

  void free() {
    for (int slot = 0; slot < memory.length; slot++) {
      free(slot);
    }
  }

  private void free(int slot) {
    Arena arena = arenas[slot];
    if (arena != null) {
      arena.close();
    }
    arenas[slot] = null;
    memory[slot] = MemorySegment.NULL;
  }
}
