// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * Cut of rows that all ranks want: each tile is dealt out evenly, so that every rank has a piece of
 * it to see to, and every link something to carry. On one host nobody sees to rows for others, and
 * a tile is one piece.
 */
final class StripeCut implements SumCut {
  private final SumLayout layout;
  private final long tileRows;
  private final int stripes;
  private long tiles;

  StripeCut(SumLayout layout, long tileRows, int stripes) {
    this.layout = layout;
    this.tileRows = tileRows;
    this.stripes = stripes;
  }

  @Override
  public void cut() {
    tiles = Math.ceilDiv(layout.totalRows(), tileRows);
  }

  @Override
  public long tiles() {
    return tiles;
  }

  @Override
  public boolean isHead(int block) {
    return block == 0;
  }

  @Override
  public long rangeTiles(int block) {
    return tiles;
  }

  @Override
  public long rangeTileBegin(int block, long tile) {
    return tileBegin(tile);
  }

  private long tileBegin(long tile) {
    return Math.min(layout.totalRows(), tile * tileRows);
  }

  @Override
  public long tilePosition(int host, int block, long tile) {
    return tile;
  }

  @Override
  public long pieces(int block) {
    return block < stripes ? tiles : 0;
  }

  @Override
  public long pieceBegin(int block, long piece) {
    return tileBegin(piece) + pieceOffset(block, piece);
  }

  @Override
  public long pieceEnd(int block, long piece) {
    return pieceBegin(block + 1, piece);
  }

  @Override
  public long pieceOffset(int block, long piece) {
    return (tileBegin(piece + 1) - tileBegin(piece)) * block / stripes;
  }

  @Override
  public long piecePosition(int host, int block, long piece) {
    return piece;
  }
}
