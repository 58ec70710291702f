// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.GatherLayout;

/**
 * Storage of streamed steps: this rank's rows lie in memory of its own, and those of others pass
 * through slots in the window.
 */
final class StreamedRows extends RowStorage {
  private final int rank;
  private final GatherWindow window;

  StreamedRows(int rank, GatherWindow window) {
    this.rank = rank;
    this.window = window;
  }

  @Override
  void reserve(GatherStep step, long myRows) {
    step.ownRows().reserve(step.layout(), myRows);
  }

  @Override
  Block input(Block block, GatherStep step) {
    GatherLayout layout = step.layout();
    long from = layout.firstRow(rank);
    return step.ownRows().rows(block, layout, from, from + layout.rows(rank));
  }

  @Override
  Block run(Block block, GatherStep step, int band, long from, long to) {
    return step.layout().isReadFromOwnRows(band, rank)
        ? step.ownRows().rows(block, step.layout(), from, to)
        : window.slotRows(block, step, band, from, to);
  }

  @Override
  Block toSend(Block block, GatherStep step, int route, long chunk) {
    return isSentFromOwnRows(step, route)
        ? step.ownRows().chunk(block, step.layout(), route, chunk)
        : received(block, step, route, chunk);
  }

  @Override
  Block received(Block block, GatherStep step, int route, long chunk) {
    GatherLayout layout = step.layout();
    long from = layout.chunkBegin(route, chunk);
    long to = layout.chunkBegin(route, chunk + 1);
    return window
        .slotRows(block, step, layout.band(route), from, to)
        .columns(layout.columnOffset(route), layout.columnBytes(route));
  }

  @Override
  boolean hasSlots() {
    return true;
  }

  @Override
  boolean isSentFromOwnRows(GatherStep step, int route) {
    return step.layout().shard(route) == rank;
  }

  @Override
  boolean hasRoom(GatherStep step, int route, long chunk) {
    GatherLayout layout = step.layout();
    int band = layout.band(route);
    return window.slots(band).isFree(step.use(band) + layout.slot(band, chunk));
  }

  @Override
  long receivable(GatherStep step, int route) {
    GatherLayout layout = step.layout();
    int band = layout.band(route);
    long free = window.slots(band).filledUpTo() - step.use(band);
    return Math.min(layout.chunks(route), free * layout.slotChunks(band));
  }

  /** The last chunk of each slot does: the receiver has room for some slots only. */
  @Override
  boolean isSynchronous(GatherStep step, int route, long chunk) {
    GatherLayout layout = step.layout();
    int band = layout.band(route);
    return layout.slotsDone(band, chunk + 1) > layout.slot(band, chunk);
  }

  @Override
  boolean mayFollowHeader() {
    return false;
  }
}
