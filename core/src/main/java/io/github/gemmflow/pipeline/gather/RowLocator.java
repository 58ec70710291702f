// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.GatherLayout;

/**
 * Places of the rows of a step: in the window, or, for streamed rows of this rank, in its own
 * memory.
 */
final class RowLocator {
  private final int rank;
  private final GatherWindow window;
  private final OwnRows ownRows;

  RowLocator(int rank, GatherWindow window, OwnRows ownRows) {
    this.rank = rank;
    this.window = window;
    this.ownRows = ownRows;
  }

  /** Points a block at the place where this rank writes its rows. */
  Block input(Block block, GatherStep step) {
    GatherLayout layout = step.layout();
    long from = layout.firstRow(rank);
    long to = from + layout.rows(rank);
    if (layout.plan().isStreamed()) {
      return ownRows.rows(block, step, from, to);
    }
    int route = layout.route(0, rank);
    return window
        .rows(block, step, from, to)
        .columns(layout.columnOffset(route), layout.columnBytes(route));
  }

  /** Points a block at rows of a run, in all columns. */
  Block run(Block block, GatherStep step, int band, long from, long to) {
    GatherLayout layout = step.layout();
    if (!layout.plan().isStreamed()) {
      return window.rows(block, step, from, to);
    }
    return layout.isReadFromOwnRows(band, rank)
        ? ownRows.rows(block, step, from, to)
        : window.slotRows(block, step, band, from, to);
  }

  /** Points a block at a chunk that this rank sends. */
  Block toSend(Block block, GatherStep step, int route, long chunk) {
    return isSentFromOwnRows(step, route)
        ? own(block, step, route, chunk)
        : received(block, step, route, chunk);
  }

  /** Points a block at a chunk of this rank's own rows in a streamed step. */
  Block own(Block block, GatherStep step, int route, long chunk) {
    GatherLayout layout = step.layout();
    return ownRows.rows(
        block, step, layout.chunkBegin(route, chunk), layout.chunkBegin(route, chunk + 1));
  }

  /** Points a block at the place of a chunk in the window. */
  Block received(Block block, GatherStep step, int route, long chunk) {
    return window.chunk(block, step, route, chunk);
  }

  /** Whether this rank sends a route's chunks from its own memory. */
  boolean isSentFromOwnRows(GatherStep step, int route) {
    return step.layout().plan().isStreamed() && step.layout().shard(route) == rank;
  }
}
