// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TileRowsTest {
  private static SumLayout layout() {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(4);
    SumLayout layout = SumPlan.of(new SumProblem(2, 8, true, 100), Hosts.of(0, 1), tuning).step();
    layout.lay(new long[] {11, 6});
    return layout;
  }

  /** Threads that share a tile take every row of it once, in order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 9})
  void partsCoverATileWithoutOverlap(int parts) {
    SumLayout layout = layout();
    for (long tile = 0;
        layout.rangeTileBegin(0, tile) < layout.rangeTileBegin(0, tile + 1);
        tile++) {
      TileRows whole = new TileRows();
      whole.atTile(layout, 0, tile, 17);
      long next = whole.firstRow();
      for (int part = 0; part < parts; part++) {
        TileRows rows = new TileRows();
        rows.atTile(layout, 0, tile, 17);
        rows.narrow(part, parts);
        assertEquals(next, rows.firstRow());
        assertEquals(rows.firstRow() - whole.firstRow(), rows.offset());
        assertEquals(17, rows.position());
        assertEquals(0, rows.block());
        next += rows.rows();
      }
      assertEquals(whole.firstRow() + whole.rows(), next);
    }
  }

  /** A piece lies in its tile where the rows of its rank are. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void piecesCoverABlock(int block) {
    SumLayout layout = layout();
    long next = layout.pieceBegin(block, 0);
    long rows = 0;
    for (long piece = 0; piece < layout.pieces(block); piece++) {
      TileRows here = new TileRows();
      here.atPiece(layout, block, piece, piece);
      assertEquals(next, here.firstRow());
      assertEquals(layout.pieceOffset(block, piece), here.offset());
      next += here.rows();
      rows += here.rows();
    }
    assertEquals(block == 0 ? 11 : 6, rows);
  }
}
