// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;

/** Places of the rows of a step, and the room that there is for those that are to come. */
abstract sealed class RowStorage permits GatheredRows, StreamedRows {
  /**
   * Makes room for this rank's rows of a step that has not begun.
   *
   * @throws IllegalArgumentException if no memory is that large
   */
  abstract void reserve(GatherStep step, long myRows);

  /** Points a block at the place where this rank writes its rows. */
  abstract Block input(Block block, GatherStep step);

  /** Points a block at rows of a run, in all columns. */
  abstract Block run(Block block, GatherStep step, int band, long from, long to);

  /** Points a block at a chunk that this rank sends. */
  abstract Block toSend(Block block, GatherStep step, int route, long chunk);

  /** Points a block at the place of a chunk in the window. */
  abstract Block received(Block block, GatherStep step, int route, long chunk);

  /** Whether rows lie in slots, which are filled again when all have read them. */
  abstract boolean hasSlots();

  /** Whether this rank sends a route's chunks from its own memory. */
  abstract boolean isSentFromOwnRows(GatherStep step, int route);

  /** Whether every reader is done with what a chunk of a route would overwrite. */
  abstract boolean hasRoom(GatherStep step, int route, long chunk);

  /** How many chunks of a route there is room for. */
  abstract long receivable(GatherStep step, int route);

  /** Whether a chunk counts as sent only after its receiver has started to receive it. */
  abstract boolean isSynchronous(GatherStep step, int route, long chunk);

  /** Whether there is room for a rank's own rows whenever its header arrives. */
  abstract boolean mayFollowHeader();
}
