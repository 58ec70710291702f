// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.SumPath;

/**
 * Layout of one summing step: how its rows are cut. Each rank has a block of them: of a scattered
 * sum the rows that it gets; otherwise rows are dealt out evenly, and a rank only sees to its block
 * for the others. The home of a block is the host of its rank.
 *
 * <p>A tile is what is computed together: rows for one host, across borders between blocks, and few
 * rows for all hosts, so that few rows for many ranks are one product. A piece is what is added up
 * together: what a tile has of one block. A chunk is what travels together: a part of a piece.
 *
 * <p>All ranks of a host go through the tiles in the same order, those for the next host first and
 * those for their own last; tile {@code n} of that order is at position {@code n}. Route {@code
 * host * ranks + block} brings the sums of a host for a block; if the step is staged, that of the
 * block's home brings the sums of all hosts, its total.
 */
public final class SumLayout extends Layout {
  private final SumPlan plan;
  private final SumCut cut;
  private final long[] chunksOf;
  private boolean staged;

  SumLayout(SumPlan plan) {
    super(plan.hosts().ranks(), plan.problem().maxRows());
    this.plan = plan;
    this.cut =
        areSameRows()
            ? new StripeCut(this, plan.tileRows(), plan.stripes())
            : new BlockCut(this, plan.hosts(), plan.tileRows());
    this.chunksOf = new long[ranks()];
  }

  @Override
  boolean areSameRows() {
    return !plan.problem().scattered();
  }

  private Hosts hosts() {
    return plan.hosts();
  }

  @Override
  void cut() {
    cut.cut();
    staged = plan.path(totalRows()) == SumPath.STAGED;
    for (int block = 0; block < chunksOf.length; block++) {
      chunksOf[block] = chunksBefore(block, pieces(block));
    }
  }

  public SumPlan plan() {
    return plan;
  }

  /** Whether blocks are added up at home, and totals travel from there. */
  public boolean isStaged() {
    return staged;
  }

  /** The host that a block's rank belongs to. */
  public int home(int block) {
    return hosts().hostOf(block);
  }

  /** The rank of a host that adds up a block there, and sends or receives it. */
  public int owner(int host, int block) {
    Hosts hosts = hosts();
    return home(block) == host
        ? block
        : hosts.member(host, hosts.indexOf(block) % hosts.size(host));
  }

  /** Whether a host's sums of a block travel to others. */
  public boolean leaves(int host, int block) {
    return areSameRows() ? hosts().count() > 1 : home(block) != host;
  }

  /** Whether what a host has of a block travels to another host. */
  boolean travels(int from, int to, int block) {
    if (areSameRows() && !isStaged()) {
      return true;
    }
    return home(block) == to || (isStaged() && home(block) == from);
  }

  /** Whether a rank wants a block. */
  public boolean isWanted(int rank, int block) {
    return areSameRows() || rank == block;
  }

  // Tiles.

  /** The tiles of all blocks. */
  public long tiles() {
    return cut.tiles();
  }

  /** Whether pieces of all blocks follow each other tile by tile, and not block by block. */
  boolean isStriped() {
    return areSameRows();
  }

  /** Whether a range of rows starts with a block. */
  boolean isHead(int block) {
    return cut.isHead(block);
  }

  /** The tiles of the range that a head starts. */
  long rangeTiles(int block) {
    return cut.rangeTiles(block);
  }

  /** The first row of a tile of the range that a head starts. */
  public long rangeTileBegin(int block, long tile) {
    return cut.rangeTileBegin(block, tile);
  }

  /** The position of a tile of the range that a head starts, in a host's order. */
  long tilePosition(int host, int block, long tile) {
    return cut.tilePosition(host, block, tile);
  }

  // Pieces: what the tiles of a range have of a block, numbered through from 0.

  /** How many pieces a block is cut into. */
  public long pieces(int block) {
    return cut.pieces(block);
  }

  /** The first row of a piece. */
  public long pieceBegin(int block, long piece) {
    return cut.pieceBegin(block, piece);
  }

  /** The row after the last of a piece. */
  public long pieceEnd(int block, long piece) {
    return cut.pieceEnd(block, piece);
  }

  /** How many rows of other blocks a piece's tile has before it. */
  public long pieceOffset(int block, long piece) {
    return cut.pieceOffset(block, piece);
  }

  /** The position of a piece's tile in a host's order. */
  public long piecePosition(int host, int block, long piece) {
    return cut.piecePosition(host, block, piece);
  }

  // Chunks: a piece is cut from its begin.

  @Override
  public int routes() {
    return plan.routes();
  }

  public int route(int host, int block) {
    return host * ranks() + block;
  }

  /** The block that a route is about. */
  public int block(int route) {
    return route % ranks();
  }

  /** The host that a route comes from. */
  public int origin(int route) {
    return route / ranks();
  }

  /** Whether a route brings sums of all hosts. */
  public boolean isTotal(int route) {
    return isStaged() && home(block(route)) == origin(route);
  }

  private long pieceChunks(int block, long piece) {
    return Math.ceilDiv(pieceEnd(block, piece) - pieceBegin(block, piece), plan.chunkRows());
  }

  /** The chunks of each piece of a block but the first and the last, which are alike. */
  private long middleChunks(int block) {
    return pieces(block) > 2 ? pieceChunks(block, 1) : 0;
  }

  /** The chunks of a block in the pieces before one, of which there may be as many as there are. */
  public long chunksBefore(int block, long piece) {
    if (piece == 0) {
      return 0;
    }
    boolean all = piece > 1 && piece == pieces(block);
    return pieceChunks(block, 0)
        + (piece - (all ? 2 : 1)) * middleChunks(block)
        + (all ? pieceChunks(block, piece - 1) : 0);
  }

  /** The piece that a chunk of a block belongs to. */
  public long pieceOfChunk(int block, long chunk) {
    long later = chunk - pieceChunks(block, 0);
    if (later < 0) {
      return 0;
    }
    long middle = middleChunks(block);
    long last = pieces(block) - 1;
    return later < middle * (last - 1) ? 1 + later / middle : last;
  }

  @Override
  public long chunks(int route) {
    return chunksOf[block(route)];
  }

  /**
   * How many chunks of a block a host may send.
   *
   * @param addedUpTo the position of the first tile whose piece its owner has yet to add up
   */
  public long sendable(int host, int block, long addedUpTo) {
    long pieces = addedUpTo - piecePosition(host, block, 0);
    return chunksBefore(block, Math.clamp(pieces, 0, pieces(block)));
  }

  /** The position of the first tile that a route's origin still reads, to send what is left. */
  public long unsentPosition(int route, long sentChunks) {
    return sentChunks == chunks(route)
        ? tiles()
        : piecePosition(origin(route), block(route), pieceOfChunk(block(route), sentChunks));
  }

  @Override
  public long chunkBegin(int route, long chunk) {
    int block = block(route);
    long piece = pieceOfChunk(block, chunk);
    return pieceBegin(block, piece) + (chunk - chunksBefore(block, piece)) * plan.chunkRows();
  }

  @Override
  public long chunkEnd(int route, long chunk) {
    int block = block(route);
    long pieceEnd = pieceEnd(block, pieceOfChunk(block, chunk));
    return Math.min(pieceEnd, chunkBegin(route, chunk) + plan.chunkRows());
  }

  @Override
  public long columnBytes(int route) {
    return isTotal(route) ? plan.problem().partialRowBytes() : plan.problem().wireRowBytes();
  }

  /**
   * Where a row that a route brings lies on a host: among all totals, or among the rows that come
   * from the route's origin.
   */
  public long receivedRow(int host, int route, long row) {
    int block = block(route);
    if (areSameRows()) {
      return isStaged() && !isTotal(route) ? rowAtHome(block, row) : row;
    }
    long before = 0;
    for (int i = 0; hosts().member(host, i) != block; i++) {
      before += rows(hosts().member(host, i));
    }
    return before + row - firstRow(block);
  }

  private long rowAtHome(int block, long row) {
    long tile = row / plan.tileRows();
    long piece = tile * hosts().size(home(block)) + hosts().indexOf(block);
    return piece * plan.mostPieceRows() + row - pieceBegin(block, tile);
  }

  @Override
  public int inFlight() {
    return plan.inFlight();
  }

  /** The rows of a piece, for a person. */
  public String describePiece(int block, long piece) {
    return SumLayoutText.describe(this, block, pieceBegin(block, piece), pieceEnd(block, piece));
  }

  @Override
  public String describe(int route, long fromChunk) {
    return SumLayoutText.describeRoute(this, route, fromChunk);
  }

  @Override
  public String toString() {
    return SumLayoutText.describe(this);
  }
}
