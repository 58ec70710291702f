// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.GatherLayout;

/** Storage of gathered steps: all rows of a step lie in the window, as one matrix without gaps. */
final class GatheredRows extends RowStorage {
  private final int rank;
  private final GatherWindow window;

  GatheredRows(int rank, GatherWindow window) {
    this.rank = rank;
    this.window = window;
  }

  /** The window has room for the rows of every step. */
  @Override
  void reserve(GatherStep step, long myRows) {}

  @Override
  Block input(Block block, GatherStep step) {
    GatherLayout layout = step.layout();
    long from = layout.firstRow(rank);
    int route = layout.route(0, rank);
    return window
        .rows(block, step, from, from + layout.rows(rank))
        .columns(layout.columnOffset(route), layout.columnBytes(route));
  }

  @Override
  Block run(Block block, GatherStep step, int band, long from, long to) {
    return window.rows(block, step, from, to);
  }

  @Override
  Block toSend(Block block, GatherStep step, int route, long chunk) {
    return received(block, step, route, chunk);
  }

  @Override
  Block received(Block block, GatherStep step, int route, long chunk) {
    GatherLayout layout = step.layout();
    return window
        .rows(block, step, layout.chunkBegin(route, chunk), layout.chunkBegin(route, chunk + 1))
        .columns(layout.columnOffset(route), layout.columnBytes(route));
  }

  @Override
  boolean hasSlots() {
    return false;
  }

  @Override
  boolean isSentFromOwnRows(GatherStep step, int route) {
    return false;
  }

  @Override
  boolean hasRoom(GatherStep step, int route, long chunk) {
    return true;
  }

  @Override
  long receivable(GatherStep step, int route) {
    return step.layout().chunks(route);
  }

  @Override
  boolean isSynchronous(GatherStep step, int route, long chunk) {
    return false;
  }

  @Override
  boolean mayFollowHeader() {
    return true;
  }
}
