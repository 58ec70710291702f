// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.StepPlan;

/** Where a rank finds the rows of a step: in the window, or, streamed ones of its own, at home. */
final class Places {
  private final int rank;
  private final Space space;
  private final Home home;

  Places(int rank, Space space, Home home) {
    this.rank = rank;
    this.space = space;
    this.home = home;
  }

  /** Points a block at the place where this rank writes its rows. */
  Block input(Block block, OpenStep step) {
    StepPlan plan = step.plan();
    long from = plan.firstRow(rank);
    long to = from + plan.rows(rank);
    if (plan.plan().isStreamed()) {
      return home.rows(block, step, from, to);
    }
    int route = plan.route(0, rank);
    return space
        .rows(block, step, from, to)
        .columns(plan.columnOffset(route), plan.columnBytes(route));
  }

  /** Points a block at rows of a run, in all columns. */
  Block run(Block block, OpenStep step, int band, long from, long to) {
    StepPlan plan = step.plan();
    if (!plan.plan().isStreamed()) {
      return space.rows(block, step, from, to);
    }
    return plan.isReadAtHome(band, rank)
        ? home.rows(block, step, from, to)
        : space.slotRows(block, step, band, from, to);
  }

  /** Points a block at a chunk that this rank sends. */
  Block toSend(Block block, OpenStep step, int route, long chunk) {
    return isSentFromHome(step, route)
        ? own(block, step, route, chunk)
        : received(block, step, route, chunk);
  }

  /** Points a block at a chunk of this rank's own rows in a streamed step. */
  Block own(Block block, OpenStep step, int route, long chunk) {
    StepPlan plan = step.plan();
    return home.rows(block, step, plan.chunkBegin(route, chunk), plan.chunkBegin(route, chunk + 1));
  }

  /** Points a block at the place of a chunk in the window. */
  Block received(Block block, OpenStep step, int route, long chunk) {
    return space.chunk(block, step, route, chunk);
  }

  /** Whether this rank sends a route's chunks from its own memory. */
  boolean isSentFromHome(OpenStep step, int route) {
    return step.plan().plan().isStreamed() && step.plan().shard(route) == rank;
  }
}
