// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Domains;
import java.util.Arrays;

/**
 * Layout of one summing step: how its rows are cut. Each rank has a block of them: of a scattered
 * sum the rows that it gets; otherwise rows are dealt out evenly, and a rank only sees to its block
 * for the others.
 *
 * <p>A tile is what is computed together: rows for one domain, across borders between blocks, so
 * that few rows for many ranks are one product. A piece is what is added up together: what a tile
 * has of one block. A chunk is what travels together: a part of a piece.
 *
 * <p>All ranks of a domain go through the tiles in the same order, those for the next domain first
 * and those for their own last; tile {@code n} of that order is at position {@code n}. Route {@code
 * domain * ranks + block} brings the sums of a domain for a block.
 */
public final class SumLayout extends Layout {
  private final SumPlan plan;
  private final long[] blockBegin;

  /** The first block of the blocks without a gap for one domain that a block belongs to. */
  private final int[] head;

  /** The row after the last of the range that a head starts. */
  private final long[] rangeEnd;

  /** The tiles for the same domain before the range that a head starts. */
  private final long[] tilesBefore;

  /** The tiles for a domain; if all ranks want all rows, there is one group of tiles only. */
  private final long[] tilesFor;

  private long tiles;

  SumLayout(SumPlan plan) {
    super(plan.domains().ranks(), plan.problem().maxRows());
    this.plan = plan;
    this.blockBegin = new long[ranks() + 1];
    this.head = new int[ranks()];
    this.rangeEnd = new long[ranks()];
    this.tilesBefore = new long[ranks()];
    this.tilesFor = new long[groups()];
  }

  @Override
  boolean areSameRows() {
    return !plan.problem().scattered();
  }

  private Domains domains() {
    return plan.domains();
  }

  /** How many groups of tiles there are: one for each domain, unless all want all. */
  int groups() {
    return areSameRows() ? 1 : domains().count();
  }

  private int group(int block) {
    return areSameRows() ? 0 : domains().domainOf(block);
  }

  @Override
  void cut() {
    for (int block = 0; block < ranks(); block++) {
      blockBegin[block + 1] =
          areSameRows() ? totalRows() * (block + 1) / ranks() : firstRow(block) + rows(block);
      head[block] = block > 0 && group(block - 1) == group(block) ? head[block - 1] : block;
      rangeEnd[head[block]] = blockBegin[block + 1];
    }
    Arrays.fill(tilesFor, 0);
    tiles = 0;
    for (int block = 0; block < ranks(); block++) {
      if (isHead(block)) {
        tilesBefore[block] = tilesFor[group(block)];
        tilesFor[group(block)] += rangeTiles(block);
        tiles += rangeTiles(block);
      }
    }
  }

  public SumPlan plan() {
    return plan;
  }

  /** The first row of a block; of the block after the last, the end of all. */
  public long blockBegin(int block) {
    return blockBegin[block];
  }

  /** The tiles of all blocks. */
  public long tiles() {
    return tiles;
  }

  /** The rank of a domain that adds up a block there, and sends or receives it. */
  public int owner(int domain, int block) {
    Domains domains = domains();
    return domains.domainOf(block) == domain
        ? block
        : domains.member(domain, domains.indexOf(block) % domains.size(domain));
  }

  /** Whether a domain's sums of a block travel to others. */
  public boolean leaves(int domain, int block) {
    return plan.problem().scattered() ? domains().domainOf(block) != domain : domains().count() > 1;
  }

  /** Whether a rank wants a block. */
  public boolean isWanted(int rank, int block) {
    return !plan.problem().scattered() || rank == block;
  }

  /** Whether a domain wants a block. */
  public boolean isWantedIn(int domain, int block) {
    return !plan.problem().scattered() || domains().domainOf(block) == domain;
  }

  // Tiles: a range of rows is cut from its begin.

  /** Whether a range of rows starts with a block. */
  boolean isHead(int block) {
    return head[block] == block;
  }

  /** The tiles of the range that a head starts. */
  long rangeTiles(int block) {
    return Math.ceilDiv(rangeEnd[block] - blockBegin[block], plan.tileRows());
  }

  private long rangeBegin(int block) {
    return blockBegin[head[block]];
  }

  private long tileBegin(int block, long tile) {
    return rangeBegin(block) + tile * plan.tileRows();
  }

  /** The first row of a tile of the range that a head starts. */
  public long rangeTileBegin(int block, long tile) {
    return Math.min(rangeEnd[block], tileBegin(block, tile));
  }

  /** The position of the first tile of a block's range in a domain's order. */
  private long rangePosition(int domain, int block) {
    long before = tilesBefore[head[block]];
    for (int i = 1; i <= tilesFor.length; i++) {
      int other = (domain + i) % tilesFor.length;
      if (other == group(block)) {
        break;
      }
      before += tilesFor[other];
    }
    return before;
  }

  /** The position of a tile of the range that a head starts, in a domain's order. */
  long tilePosition(int domain, int block, long tile) {
    return rangePosition(domain, block) + tile;
  }

  /** A group in a domain's order: the next domain first, its own last. */
  int groupAt(int domain, int index) {
    return (domain + 1 + index) % groups();
  }

  /** How many blocks a group has. */
  int groupSize(int group) {
    return areSameRows() ? ranks() : domains().size(group);
  }

  /** A block of a group. */
  int groupBlock(int group, int index) {
    return areSameRows() ? index : domains().member(group, index);
  }

  // Pieces: what the tiles of a range have of a block, numbered through from 0.

  private long firstTile(int block) {
    return (blockBegin[block] - rangeBegin(block)) / plan.tileRows();
  }

  /** How many pieces a block is cut into. */
  public long pieces(int block) {
    if (blockBegin[block] == blockBegin[block + 1]) {
      return 0;
    }
    long last = (blockBegin[block + 1] - 1 - rangeBegin(block)) / plan.tileRows();
    return last - firstTile(block) + 1;
  }

  /** The first row of a piece; of the piece after the last, the end of the block. */
  public long pieceBegin(int block, long piece) {
    long tile = tileBegin(block, firstTile(block) + piece);
    return Math.clamp(tile, blockBegin[block], blockBegin[block + 1]);
  }

  /** How many rows of other blocks a piece's tile has before it. */
  public long pieceOffset(int block, long piece) {
    return pieceBegin(block, piece) - tileBegin(block, firstTile(block) + piece);
  }

  /** The position of a piece's tile in a domain's order. */
  public long piecePosition(int domain, int block, long piece) {
    return rangePosition(domain, block) + firstTile(block) + piece;
  }

  // Chunks: a piece is cut from its begin.

  @Override
  public int routes() {
    return plan.routes();
  }

  public int route(int domain, int block) {
    return domain * ranks() + block;
  }

  /** The block that a route is about. */
  public int block(int route) {
    return route % ranks();
  }

  /** The domain that a route comes from. */
  public int origin(int route) {
    return route / ranks();
  }

  private long pieceChunks(int block, long piece) {
    return Math.ceilDiv(pieceBegin(block, piece + 1) - pieceBegin(block, piece), plan.chunkRows());
  }

  /** The chunks of a block in the pieces before one, of which there may be as many as there are. */
  public long chunksBefore(int block, long piece) {
    if (piece == 0) {
      return 0;
    }
    // All pieces but the first and the last are whole tiles.
    long wholeTile = Math.ceilDiv(plan.tileRows(), plan.chunkRows());
    boolean all = piece == pieces(block);
    long whole = Math.max(0, piece - (all ? 2 : 1));
    return pieceChunks(block, 0)
        + whole * wholeTile
        + (all && piece > 1 ? pieceChunks(block, piece - 1) : 0);
  }

  /** The piece that a chunk of a block belongs to; of the chunk after the last, there is none. */
  public long pieceOfChunk(int block, long chunk) {
    long first = pieceChunks(block, 0);
    long wholeTile = Math.ceilDiv(plan.tileRows(), plan.chunkRows());
    return chunk < first ? 0 : 1 + (chunk - first) / wholeTile;
  }

  @Override
  public long chunks(int route) {
    int block = block(route);
    return chunksBefore(block, pieces(block));
  }

  /**
   * How many chunks of a block a domain may send.
   *
   * @param addedUpTo the position of the first tile whose piece its owner has yet to add up
   */
  public long sendable(int domain, int block, long addedUpTo) {
    long pieces = addedUpTo - piecePosition(domain, block, 0);
    return chunksBefore(block, Math.clamp(pieces, 0, pieces(block)));
  }

  /** The position of the first tile that a route's origin still reads, to send what is left. */
  public long unsentPosition(int route, long sentChunks) {
    return sentChunks == chunks(route)
        ? tiles
        : piecePosition(origin(route), block(route), pieceOfChunk(block(route), sentChunks));
  }

  @Override
  public long chunkBegin(int route, long chunk) {
    int block = block(route);
    if (chunk >= chunks(route)) {
      return blockBegin[block + 1];
    }
    long piece = pieceOfChunk(block, chunk);
    long row = pieceBegin(block, piece) + (chunk - chunksBefore(block, piece)) * plan.chunkRows();
    return Math.min(row, pieceBegin(block, piece + 1));
  }

  @Override
  public long columnBytes(int route) {
    return plan.problem().wireRowBytes();
  }

  @Override
  public int inFlight() {
    return plan.tuning().inFlight();
  }

  /** The rows of a piece, for a person. */
  public String describePiece(int block, long piece) {
    return SumLayoutText.describe(
        this, block, pieceBegin(block, piece), pieceBegin(block, piece + 1));
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
