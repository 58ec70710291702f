// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * Goes through the tiles of a step in the order of a domain, or through some of them. Not
 * thread-safe.
 */
public final class TileCursor {
  /** Which tiles to stop at. */
  @FunctionalInterface
  public interface Filter {
    boolean accepts(SumLayout layout, int block);
  }

  private final int domain;
  private final Filter filter;
  private int group;
  private int index;
  private long tile;
  private long position;
  private boolean isAtEnd;

  /** For a domain. */
  public TileCursor(int domain, Filter filter) {
    this.domain = domain;
    this.filter = filter;
  }

  /** Goes to the first tile that is accepted. */
  public void reset(SumLayout layout) {
    group = 0;
    index = 0;
    tile = 0;
    position = 0;
    isAtEnd = false;
    settle(layout);
  }

  /** Goes on to the next tile that is accepted. */
  public void advance(SumLayout layout) {
    index++;
    position++;
    settle(layout);
  }

  private void settle(SumLayout layout) {
    while (group < layout.groups()) {
      for (; index < layout.groupSize(domain, group); index++) {
        int block = layout.groupBlock(domain, group, index);
        if (tile < layout.tiles(block)) {
          if (filter.accepts(layout, block)) {
            return;
          }
          position++;
        }
      }
      index = 0;
      tile++;
      if (!hasTiles(layout)) {
        tile = 0;
        group++;
      }
    }
    isAtEnd = true;
  }

  private boolean hasTiles(SumLayout layout) {
    for (int i = 0; i < layout.groupSize(domain, group); i++) {
      if (tile < layout.tiles(layout.groupBlock(domain, group, i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether there are no more tiles. */
  public boolean isAtEnd() {
    return isAtEnd;
  }

  /** The block of the tile. */
  public int block(SumLayout layout) {
    return layout.groupBlock(domain, group, index);
  }

  /** The number of the tile in its block. */
  public long tile() {
    return tile;
  }

  /** The position of the tile; at the end, how many there are. */
  public long position() {
    return position;
  }
}
