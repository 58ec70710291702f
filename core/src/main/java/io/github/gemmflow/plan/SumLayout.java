// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * How the rows of one summing step are cut: into a block for each rank, blocks into tiles, tiles
 * into chunks. Of a scattered sum a rank's block is the rows that it gets; otherwise the rows are
 * dealt out evenly, and a rank only sees to its block for the others.
 *
 * <p>All ranks of a domain go through the tiles in the same order, and tile {@code n} of that order
 * is at position {@code n}. Route {@code domain * ranks + block} brings the sums of a domain for a
 * block.
 */
public final class SumLayout extends Layout {
  private final SumPlan plan;
  private final long[] blockBegin;
  private long tiles;

  SumLayout(SumPlan plan) {
    super(plan.domains().ranks(), plan.problem().maxRows());
    this.plan = plan;
    this.blockBegin = new long[ranks() + 1];
  }

  @Override
  boolean areSameRows() {
    return !plan.problem().scattered();
  }

  @Override
  void cut() {
    tiles = 0;
    for (int block = 0; block < ranks(); block++) {
      blockBegin[block + 1] =
          areSameRows() ? totalRows() * (block + 1) / ranks() : firstRow(block) + rows(block);
    }
    for (int block = 0; block < ranks(); block++) {
      tiles += tiles(block);
    }
  }

  public SumPlan plan() {
    return plan;
  }

  private Domains domains() {
    return plan.domains();
  }

  /** The first row of a block; of the block after the last, the end of all. */
  public long blockBegin(int block) {
    return blockBegin[block];
  }

  private long blockRows(int block) {
    return blockBegin[block + 1] - blockBegin[block];
  }

  /** The tiles of a block. */
  public long tiles(int block) {
    return Math.ceilDiv(blockRows(block), plan.tileRows());
  }

  /** The tiles of all blocks. */
  public long tiles() {
    return tiles;
  }

  /** The first row of a tile; of the tile after the last, the end of the block. */
  public long tileBegin(int block, long tile) {
    return Math.min(blockBegin[block + 1], blockBegin[block] + tile * plan.tileRows());
  }

  /** The rank of a domain that adds up a block there, and sends or receives it. */
  public int owner(int domain, int block) {
    Domains domains = domains();
    return domains.of(block) == domain
        ? block
        : domains.member(domain, domains.indexOf(block) % domains.size(domain));
  }

  /** Whether a domain's sums of a block travel to others. */
  public boolean leaves(int domain, int block) {
    return plan.problem().scattered() ? domains().of(block) != domain : domains().count() > 1;
  }

  /** Whether a rank wants a block. */
  public boolean isWanted(int rank, int block) {
    return !plan.problem().scattered() || rank == block;
  }

  /** Whether a domain wants a block. */
  public boolean isWantedIn(int domain, int block) {
    return !plan.problem().scattered() || domains().of(block) == domain;
  }

  // The order of tiles in a domain: those for the next domain first, its own last, and in turns
  // for the ranks of one domain. If all want everything, in turns for all.

  /** How many groups of blocks there are, whose tiles come one group after the other. */
  int groups() {
    return areSameRows() ? 1 : domains().count();
  }

  /** How many blocks a group has. */
  int groupSize(int domain, int group) {
    return areSameRows() ? ranks() : domains().size(target(domain, group));
  }

  /** A block of a group. */
  int groupBlock(int domain, int group, int index) {
    return areSameRows() ? index : domains().member(target(domain, group), index);
  }

  private int target(int domain, int group) {
    return (domain + 1 + group) % domains().count();
  }

  /** The position of a tile in a domain's order. */
  public long position(int domain, int block, long tile) {
    long position = 0;
    for (int group = 0; group < groups(); group++) {
      boolean isIn = areSameRows() || target(domain, group) == domains().of(block);
      boolean isBefore = true;
      for (int i = 0; i < groupSize(domain, group); i++) {
        int other = groupBlock(domain, group, i);
        isBefore &= other != block;
        long sooner = isBefore ? tile + 1 : tile;
        position += isIn ? Math.min(tiles(other), sooner) : tiles(other);
      }
      if (isIn) {
        break;
      }
    }
    return position;
  }

  @Override
  public int routes() {
    return domains().count() * ranks();
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

  @Override
  public long chunks(int route) {
    return Math.ceilDiv(blockRows(block(route)), plan.chunkRows());
  }

  @Override
  public long chunkBegin(int route, long chunk) {
    int block = block(route);
    return Math.min(blockBegin[block + 1], blockBegin[block] + chunk * plan.chunkRows());
  }

  /** The tile that a chunk of a block belongs to. */
  public long tileOfChunk(long chunk) {
    return chunk * plan.chunkRows() / plan.tileRows();
  }

  /** The chunks of a block in the tiles before one, of which there may be as many as there are. */
  public long chunksBefore(int block, long tile) {
    return Math.ceilDiv(tileBegin(block, tile) - blockBegin[block], plan.chunkRows());
  }

  @Override
  public long columnBytes(int route) {
    return plan.problem().wireRowBytes();
  }

  @Override
  public int inFlight() {
    return plan.tuning().inFlight();
  }

  /** The rows of a tile, for a person. */
  public String describeTile(int block, long tile) {
    return describe(block, tileBegin(block, tile), tileBegin(block, tile + 1));
  }

  @Override
  public String describe(int route, long fromChunk) {
    int block = block(route);
    return "sums over the ranks of host %d of %s"
        .formatted(
            origin(route), describe(block, chunkBegin(route, fromChunk), blockBegin[block + 1]));
  }

  private String describe(int block, long from, long to) {
    return areSameRows()
        ? "rows %d-%d".formatted(from, to - 1)
        : "rows %d-%d for rank %d".formatted(from, to - 1, block);
  }

  /** The step in a few lines for a person: each block's rows, and who adds them up. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(plan.toString());
    for (int block = 0; block < ranks(); block++) {
      if (blockRows(block) == 0) {
        continue;
      }
      text.append("%s: %d tiles".formatted(describeTileRange(block), tiles(block)));
      for (int domain = 0; domain < domains().count(); domain++) {
        text.append(
            "; host %d: added up by rank %d%s"
                .formatted(domain, owner(domain, block), leaves(domain, block) ? ", leaves" : ""));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private String describeTileRange(int block) {
    return describe(block, blockBegin[block], blockBegin[block + 1]);
  }
}
