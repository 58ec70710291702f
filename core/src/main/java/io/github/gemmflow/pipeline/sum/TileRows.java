// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.plan.SumLayout;

/** Some rows of a tile. A flyweight that its owner points at one place after another. */
final class TileRows {
  private int block;
  private long position;
  private long firstRow;
  private long offset;
  private long rows;

  /** Points at a tile of the range of rows that a block starts. */
  void atTile(SumLayout layout, int head, long tile, long newPosition) {
    block = head;
    position = newPosition;
    firstRow = layout.rangeTileBegin(head, tile);
    offset = 0;
    rows = layout.rangeTileBegin(head, tile + 1) - firstRow;
  }

  /** Points at a piece of a block. */
  void atPiece(SumLayout layout, int newBlock, long piece, long newPosition) {
    block = newBlock;
    position = newPosition;
    firstRow = layout.pieceBegin(block, piece);
    offset = layout.pieceOffset(block, piece);
    rows = layout.pieceEnd(block, piece) - firstRow;
  }

  /** Narrows this to one of several parts of about the same size. */
  void narrow(int part, int parts) {
    long from = rows * part / parts;
    long to = rows * (part + 1) / parts;
    firstRow += from;
    offset += from;
    rows = to - from;
  }

  int block() {
    return block;
  }

  /** Where the tile is in the order of this host. */
  long position() {
    return position;
  }

  /** The first row in the step. */
  long firstRow() {
    return firstRow;
  }

  /** The first row, counted from the start of the tile. */
  long offset() {
    return offset;
  }

  long rows() {
    return rows;
  }
}
