// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;

/**
 * Cursor over the tiles of a step, or through the pieces of some blocks, in the order of a host:
 * tile by tile, or, if each rank wants its own rows, the blocks of one host after another, its own
 * last. Not thread-safe.
 */
public final class TileCursor {
  /** Which blocks to stop at. */
  @FunctionalInterface
  public interface Filter {
    boolean accepts(SumLayout layout, int block);
  }

  private final int host;
  private final boolean overTiles;
  private final Filter filter;
  private int group;
  private int index;
  private long number;

  private TileCursor(int host, boolean overTiles, Filter filter) {
    this.host = host;
    this.overTiles = overTiles;
    this.filter = filter;
  }

  /** Goes through all tiles. */
  public static TileCursor overTiles(int host) {
    return new TileCursor(host, true, SumLayout::isHead);
  }

  /** Goes through the pieces of blocks that are accepted. */
  public static TileCursor overPieces(int host, Filter filter) {
    return new TileCursor(host, false, filter);
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
    Hosts hosts = layout.plan().hosts();
    while (!isAtEnd(layout)) {
      if (index == hosts.size(groupHost(hosts))) {
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

  private int groupHost(Hosts hosts) {
    return (host + 1 + group) % hosts.count();
  }

  private long count(SumLayout layout) {
    int block = block(layout);
    return overTiles ? layout.rangeTiles(block) : layout.pieces(block);
  }

  /** Whether there are no more. */
  public boolean isAtEnd(SumLayout layout) {
    return layout.isStriped() ? number == layout.tiles() : group == layout.plan().hosts().count();
  }

  /** The block of the piece, or the first block of the range of rows of the tile. */
  public int block(SumLayout layout) {
    Hosts hosts = layout.plan().hosts();
    return layout.isStriped() ? index : hosts.member(groupHost(hosts), index);
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
        ? layout.tilePosition(host, block, number)
        : layout.piecePosition(host, block, number);
  }
}
