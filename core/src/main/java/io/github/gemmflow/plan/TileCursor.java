// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Domains;

/**
 * Cursor over the tiles of a step, or through the pieces of some blocks, in the order of a domain:
 * tile by tile, or, if each rank wants its own rows, the blocks of one domain after another, its
 * own last. Not thread-safe.
 */
public final class TileCursor {
  /** Which blocks to stop at. */
  @FunctionalInterface
  public interface Filter {
    boolean accepts(SumLayout layout, int block);
  }

  private final int domain;
  private final boolean overTiles;
  private final Filter filter;
  private int group;
  private int index;
  private long number;

  private TileCursor(int domain, boolean overTiles, Filter filter) {
    this.domain = domain;
    this.overTiles = overTiles;
    this.filter = filter;
  }

  /** Goes through all tiles. */
  public static TileCursor overTiles(int domain) {
    return new TileCursor(domain, true, SumLayout::isHead);
  }

  /** Goes through the pieces of blocks that are accepted. */
  public static TileCursor overPieces(int domain, Filter filter) {
    return new TileCursor(domain, false, filter);
  }

  /** Goes to the first one. */
  public void reset(SumLayout layout) {
    group = 0;
    index = 0;
    number = 0;
    settle(layout);
  }

  /** Goes on to the next one. */
  public void advance(SumLayout layout) {
    if (layout.isStriped()) {
      index++;
    } else {
      number++;
    }
    settle(layout);
  }

  private void settle(SumLayout layout) {
    if (layout.isStriped()) {
      settleOnStripe(layout);
    } else {
      settleInBlock(layout);
    }
  }

  private void settleOnStripe(SumLayout layout) {
    while (!isAtEnd(layout)) {
      if (index == layout.ranks()) {
        index = 0;
        number++;
      } else if (filter.accepts(layout, index) && hasRows(layout)) {
        return;
      } else {
        index++;
      }
    }
  }

  private boolean hasRows(SumLayout layout) {
    return overTiles
        || (number < layout.pieces(index)
            && layout.pieceBegin(index, number) < layout.pieceEnd(index, number));
  }

  private void settleInBlock(SumLayout layout) {
    Domains domains = layout.plan().domains();
    while (!isAtEnd(layout)) {
      if (index == domains.size(groupDomain(domains))) {
        index = 0;
        group++;
      } else if (filter.accepts(layout, block(layout)) && number < count(layout)) {
        return;
      } else {
        number = 0;
        index++;
      }
    }
  }

  private int groupDomain(Domains domains) {
    return (domain + 1 + group) % domains.count();
  }

  private long count(SumLayout layout) {
    int block = block(layout);
    return overTiles ? layout.rangeTiles(block) : layout.pieces(block);
  }

  /** Whether there are no more. */
  public boolean isAtEnd(SumLayout layout) {
    return layout.isStriped() ? number == layout.tiles() : group == layout.plan().domains().count();
  }

  /** The block of the piece, or the first block of the range of rows of the tile. */
  public int block(SumLayout layout) {
    Domains domains = layout.plan().domains();
    return layout.isStriped() ? index : domains.member(groupDomain(domains), index);
  }

  /** The number of the piece in its block, or of the tile in its range of rows. */
  public long number() {
    return number;
  }

  /** The position of the tile; at the end, how many there are. */
  public long position(SumLayout layout) {
    if (isAtEnd(layout)) {
      return layout.tiles();
    }
    int block = block(layout);
    return overTiles
        ? layout.tilePosition(domain, block, number)
        : layout.piecePosition(domain, block, number);
  }
}
