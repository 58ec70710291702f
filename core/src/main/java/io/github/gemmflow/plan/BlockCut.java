// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import java.util.Arrays;

/**
 * Cut of rows of which each rank wants its own block. Blocks without a gap for one host are a
 * range, which is cut from its begin. If there are few rows for each host, all of them are one
 * range: a product for each host would read all weights, and take as long as one for all.
 */
final class BlockCut implements SumCut {
  /** With fewer rows for each, products take longer one by one than at once. */
  private static final long FEW_ROWS = 24;

  private final SumLayout layout;
  private final Hosts hosts;
  private final long tileRows;

  /** The first block of the range that a block belongs to. */
  private final int[] head;

  /** The row after the last of the range that a head starts. */
  private final long[] rangeEnd;

  /** The tiles for the same host before the range that a head starts. */
  private final long[] tilesBefore;

  /** The tiles for all hosts before one. */
  private final long[] tilesUpTo;

  BlockCut(SumLayout layout, Hosts hosts, long tileRows) {
    this.layout = layout;
    this.hosts = hosts;
    this.tileRows = tileRows;
    this.head = new int[hosts.ranks()];
    this.rangeEnd = new long[hosts.ranks()];
    this.tilesBefore = new long[hosts.ranks()];
    this.tilesUpTo = new long[hosts.count() + 1];
  }

  private long blockBegin(int block) {
    return layout.firstRow(block);
  }

  private long blockEnd(int block) {
    return layout.firstRow(block) + layout.rows(block);
  }

  @Override
  public void cut() {
    long rows = layout.totalRows();
    boolean isOneRange = rows < FEW_ROWS * hosts.count() && rows <= tileRows;
    for (int block = 0; block < head.length; block++) {
      boolean goesOn = block > 0 && (isOneRange || hosts.hostOf(block - 1) == hosts.hostOf(block));
      head[block] = goesOn ? head[block - 1] : block;
      rangeEnd[head[block]] = blockEnd(block);
    }
    Arrays.fill(tilesUpTo, 0);
    for (int block = 0; block < head.length; block++) {
      if (isHead(block)) {
        int next = hosts.hostOf(block) + 1;
        tilesBefore[block] = tilesUpTo[next];
        tilesUpTo[next] += rangeTiles(block);
      }
    }
    for (int host = 0; host < hosts.count(); host++) {
      tilesUpTo[host + 1] += tilesUpTo[host];
    }
  }

  @Override
  public long tiles() {
    return tilesUpTo[hosts.count()];
  }

  @Override
  public boolean isHead(int block) {
    return head[block] == block;
  }

  @Override
  public long rangeTiles(int block) {
    return Math.ceilDiv(rangeEnd[block] - blockBegin(block), tileRows);
  }

  private long rangeBegin(int block) {
    return blockBegin(head[block]);
  }

  private long tileBegin(int block, long tile) {
    return rangeBegin(block) + tile * tileRows;
  }

  @Override
  public long rangeTileBegin(int block, long tile) {
    return Math.min(rangeEnd[block], tileBegin(block, tile));
  }

  /** The position of the first tile of a block's range: those for the next host come first. */
  private long rangePosition(int host, int block) {
    int target = hosts.hostOf(head[block]);
    long before = tilesUpTo[target] - tilesUpTo[host + 1];
    return tilesBefore[head[block]] + (target > host ? before : before + tiles());
  }

  @Override
  public long tilePosition(int host, int block, long tile) {
    return rangePosition(host, block) + tile;
  }

  private long firstTile(int block) {
    return (blockBegin(block) - rangeBegin(block)) / tileRows;
  }

  @Override
  public long pieces(int block) {
    if (blockBegin(block) == blockEnd(block)) {
      return 0;
    }
    long last = (blockEnd(block) - 1 - rangeBegin(block)) / tileRows;
    return last - firstTile(block) + 1;
  }

  @Override
  public long pieceBegin(int block, long piece) {
    long tile = tileBegin(block, firstTile(block) + piece);
    return Math.clamp(tile, blockBegin(block), blockEnd(block));
  }

  @Override
  public long pieceEnd(int block, long piece) {
    return pieceBegin(block, piece + 1);
  }

  @Override
  public long pieceOffset(int block, long piece) {
    return pieceBegin(block, piece) - tileBegin(block, firstTile(block) + piece);
  }

  @Override
  public long piecePosition(int host, int block, long piece) {
    return rangePosition(host, block) + firstTile(block) + piece;
  }
}
