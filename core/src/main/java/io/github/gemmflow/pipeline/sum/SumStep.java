// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;

/**
 * Summing step as both lanes of a rank know it. There is one for each buffer of a window; the
 * thread that begins a step fills it in before the communication thread may look at it.
 */
final class SumStep {
  private final StepContext open;
  private final SumWindow window;
  private final SumPlan plan;
  private final SumLayout layout;
  private final StepNumbers tiles;
  private final StepNumbers chunks;
  private final long[] firstTile = new long[1];
  private final long[] firstChunk;

  /**
   * The steps in a buffer.
   *
   * @param tiles numbers the tiles
   * @param chunks numbers the chunks of each block, which all of its routes have
   */
  SumStep(StepContext open, SumWindow window, StepNumbers tiles, StepNumbers chunks) {
    this.open = open;
    this.window = window;
    this.plan = window.plan();
    this.layout = plan.step();
    this.tiles = tiles;
    this.chunks = chunks;
    this.firstChunk = new long[chunks.things()];
  }

  /** Turns to a new step, which is laid out. */
  void number() {
    tiles.begin(firstTile);
    tiles.add(0, layout.tiles());
    chunks.begin(firstChunk);
    int ranks = plan.hosts().ranks();
    for (int block = 0; block < ranks; block++) {
      chunks.add(block, layout.chunks(layout.route(window.host(), block)));
    }
  }

  StepContext open() {
    return open;
  }

  SumWindow window() {
    return window;
  }

  SumLayout layout() {
    return layout;
  }

  /** The use of a slot by the tile at a position. */
  long use(long position) {
    return firstTile[0] + position;
  }

  /** The first row, among all of a rank's partial sums, of the tile at a position. */
  long slotRow(long position) {
    return window.slots().slot(use(position)) * plan.tileRows();
  }

  /** Points a block at a rank's partial sums of rows of a tile. */
  Block part(Block block, int rank, TileRows tile) {
    return window.part(block, rank, slotRow(tile.position()) + tile.offset(), tile.rows());
  }

  /**
   * Points a block at what a rank has added up of rows of a tile. It lies where its own partial
   * sums were, row by row, so with gaps if it is shorter.
   */
  Block sum(Block block, int rank, TileRows tile) {
    return part(block, rank, tile).columns(0, plan.problem().wireRowBytes());
  }

  /** Points a block at a chunk of what a rank has added up. */
  Block sum(Block block, int rank, int route, long chunk) {
    int rowBlock = layout.block(route);
    long piece = layout.pieceOfChunk(rowBlock, chunk);
    long first = layout.chunkBegin(route, chunk);
    long rows = layout.chunkEnd(route, chunk) - first;
    long offset = layout.pieceOffset(rowBlock, piece) + first - layout.pieceBegin(rowBlock, piece);
    long position = layout.piecePosition(window.host(), rowBlock, piece);
    return window
        .part(block, rank, slotRow(position) + offset, rows)
        .columns(0, layout.columnBytes(route));
  }

  /** Points a block at what has come from another host: whole rows of a block of the step. */
  Block received(Block block, int route, long firstRow, long rows) {
    long row = layout.receivedRow(window.host(), route, firstRow);
    return layout.isTotal(route)
        ? window.totals(block, open.buffer(), row, rows)
        : window.received(block, open.buffer(), layout.origin(route), row, rows);
  }

  /** Says that a rank of this host has computed all tiles before a position. */
  void publishComputed(int rank, long position) {
    window.publishComputed(rank, use(position));
  }

  /** Whether a rank of this host has computed the tile at a position. */
  boolean isComputed(int rank, long position) {
    return window.computed(rank) > use(position);
  }

  /** Says that a rank of this host has added up those of its tiles that are before a position. */
  void publishAdded(int rank, long position) {
    window.publishAdded(rank, use(position));
  }

  /** The position of the first tile that a rank of this host has not added up. */
  long addedUpTo(int rank) {
    return window.added(rank) - use(0);
  }

  /** Whether a rank of this host has added up its tile at a position. */
  boolean isAdded(int rank, long position) {
    return addedUpTo(rank) > position;
  }

  /** Says that a rank of this host has the totals of its pieces before a position. */
  void publishTotalled(int rank, long position) {
    window.publishTotalled(rank, use(position));
  }

  /** The position of the first tile that a rank of this host has no totals of. */
  long totalledUpTo(int rank) {
    return window.totalled(rank) - use(0);
  }

  /** Says that the first chunks of a route are here. */
  void publishArrived(int route, long arrived) {
    window.publishArrived(route, firstChunk(route) + arrived);
  }

  /** How many chunks of a route are here; those of later steps do not count. */
  long arrived(int route) {
    return Math.min(window.arrived(route) - firstChunk(route), layout.chunks(route));
  }

  private long firstChunk(int route) {
    return firstChunk[layout.block(route)];
  }

  /** Whether the slot of the tile at a position may be filled. */
  boolean isFree(long position) {
    return window.slots().isFree(use(position));
  }

  /** Says that a reader needs no slot before a position any more; returns whether that is news. */
  boolean pass(int reader, long position) {
    return window.slots().pass(reader, use(0), use(position));
  }
}
