// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.SumLayout;

/** Some rows of a tile. A flyweight that its owner points at one place after another. */
final class TileRows {
  private int block;
  private long tile;
  private long position;
  private long from;
  private long rows;

  /** Points at all rows of a tile. */
  void at(SumLayout layout, int newBlock, long newTile, long newPosition) {
    block = newBlock;
    tile = newTile;
    position = newPosition;
    from = 0;
    rows = layout.tileBegin(block, tile + 1) - layout.tileBegin(block, tile);
  }

  /** Narrows this to one of several parts of about the same size. */
  void narrow(int part, int parts) {
    long end = rows * (part + 1) / parts;
    from = rows * part / parts;
    rows = end - from;
  }

  int block() {
    return block;
  }

  /** Where the tile is in the order of this host. */
  long position() {
    return position;
  }

  /** The first row, counted from the start of the tile. */
  long from() {
    return from;
  }

  /** The first row in the step. */
  long firstRow(SumLayout layout) {
    return layout.tileBegin(block, tile) + from;
  }

  long rows() {
    return rows;
  }
}
