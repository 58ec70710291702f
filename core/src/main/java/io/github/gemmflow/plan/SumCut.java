// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/** Cut of a summing step's rows into tiles and pieces, as {@link SumLayout} defines them. */
sealed interface SumCut permits BlockCut, StripeCut {
  /** Cuts the rows of the step that the layout is about now. */
  void cut();

  /** How many tiles there are. */
  long tiles();

  /** Whether a range of rows starts with a block. */
  boolean isHead(int block);

  /** The tiles of the range that a head starts. */
  long rangeTiles(int block);

  /** The first row of a tile of the range that a head starts; after the last, the range's end. */
  long rangeTileBegin(int block, long tile);

  /** The position of a tile of the range that a head starts, in a host's order. */
  long tilePosition(int host, int block, long tile);

  /** How many pieces a block is cut into, also those without rows. */
  long pieces(int block);

  long pieceBegin(int block, long piece);

  long pieceEnd(int block, long piece);

  /** How many rows of other blocks a piece's tile has before it. */
  long pieceOffset(int block, long piece);

  /** The position of a piece's tile in a host's order. */
  long piecePosition(int host, int block, long piece);
}
