// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every row is computed, added up and sent exactly as often as it must be, in the right order. */
class SumLayoutTest {
  private static final int MAX_ROWS = 200;

  @Test
  void everyRowHasOneTileOnePieceAndOneChunk() {
    Cases.run(
        getClass(),
        2000,
        seed -> {
          Draw draw = new Draw(seed);
          SumLayout layout = layout(draw);
          for (int host = 0; host < layout.plan().hosts().count(); host++) {
            checkTiles(layout, host);
            checkPieces(layout, host);
          }
          checkChunks(layout);
          checkReceived(layout);
          checkTransfers(layout);
        });
  }

  private static SumLayout layout(Draw draw) {
    int ranks = draw.ranks();
    Hosts hosts = Hosts.of(draw.hosts(ranks));
    boolean scattered = draw.chance(0.6);
    // Rows of 20,000 bytes: by rule, tiles of several chunks.
    SumProblem problem = new SumProblem(5000, 20_000, scattered, MAX_ROWS);
    Tuning tuning =
        draw.chance(0.5) ? Tuning.DEFAULT : Tuning.DEFAULT.withChunkRows(1 + draw.below(50));
    if (draw.chance(0.5)) {
      tuning = tuning.withSums(draw.oneOf(List.of(SumPath.values())));
    }
    SumLayout layout = SumPlan.of(problem, hosts, tuning).step();
    long[] rows = draw.rows(ranks, MAX_ROWS);
    if (!scattered) {
      Arrays.fill(rows, draw.below(MAX_ROWS + 1));
    }
    layout.lay(rows);
    return layout;
  }

  /** Positions count up from 0; tiles for other hosts come before those for the own one. */
  private static void checkTiles(SumLayout layout, int host) {
    int[] seen = new int[(int) layout.totalRows()];
    TileCursor tiles = TileCursor.overTiles(host);
    long position = 0;
    boolean own = false;
    for (tiles.reset(layout); !tiles.isAtEnd(layout); tiles.advance(layout)) {
      assertEquals(position++, tiles.position(layout));
      int head = tiles.block(layout);
      long begin = layout.rangeTileBegin(head, tiles.number());
      long end = layout.rangeTileBegin(head, tiles.number() + 1);
      assertTrue(end > begin && end - begin <= layout.plan().tileRows());
      for (long row = begin; row < end; row++) {
        seen[(int) row]++;
      }
      boolean isOwn =
          layout.plan().problem().scattered() && layout.plan().hosts().hostOf(head) == host;
      assertTrue(isOwn || !own, "own rows last");
      own = isOwn;
    }
    assertEquals(layout.tiles(), position);
    assertEquals(layout.tiles(), tiles.position(layout));
    assertTrue(position <= layout.plan().slots(), "room for a whole step");
    assertTrue(Arrays.stream(seen).allMatch(times -> times == 1));
  }

  /** A piece lies in the tile at its position, as far from its begin as it says. */
  private static void checkPieces(SumLayout layout, int host) {
    Map<Long, Long> tileBegins = new HashMap<>();
    TileCursor tiles = TileCursor.overTiles(host);
    for (tiles.reset(layout); !tiles.isAtEnd(layout); tiles.advance(layout)) {
      tileBegins.put(
          tiles.position(layout), layout.rangeTileBegin(tiles.block(layout), tiles.number()));
    }
    int[] seen = new int[(int) layout.totalRows()];
    TileCursor pieces = TileCursor.overPieces(host, (l, block) -> true);
    long last = 0;
    for (pieces.reset(layout); !pieces.isAtEnd(layout); pieces.advance(layout)) {
      int block = pieces.block(layout);
      long piece = pieces.number();
      long begin = layout.pieceBegin(block, piece);
      long end = layout.pieceEnd(block, piece);
      long position = pieces.position(layout);
      assertTrue(position >= last);
      last = position;
      assertEquals(position, layout.piecePosition(host, block, piece));
      assertEquals(tileBegins.get(position), begin - layout.pieceOffset(block, piece));
      assertTrue(
          end > begin
              && layout.pieceOffset(block, piece) + end - begin <= layout.plan().tileRows());
      for (long row = begin; row < end; row++) {
        seen[(int) row]++;
      }
    }
    assertTrue(Arrays.stream(seen).allMatch(times -> times == 1));
  }

  /** Chunks of a route cover its block in order, and none goes beyond its piece. */
  private static void checkChunks(SumLayout layout) {
    for (int block = 0; block < layout.plan().hosts().ranks(); block++) {
      int route = layout.route(0, block);
      long chunk = 0;
      for (long piece = 0; piece < layout.pieces(block); piece++) {
        assertEquals(chunk, layout.chunksBefore(block, piece));
        for (long row = layout.pieceBegin(block, piece); row < layout.pieceEnd(block, piece); ) {
          assertEquals(piece, layout.pieceOfChunk(block, chunk));
          assertEquals(row, layout.chunkBegin(route, chunk));
          row = layout.chunkEnd(route, chunk);
          assertTrue(row > layout.chunkBegin(route, chunk));
          assertTrue(row <= layout.pieceEnd(block, piece));
          chunk++;
        }
      }
      assertEquals(chunk, layout.chunks(route));
    }
  }

  /** What a host receives has room, and nothing lies where something else does. */
  private static void checkReceived(SumLayout layout) {
    Hosts hosts = layout.plan().hosts();
    for (int host = 0; host < hosts.count(); host++) {
      Map<String, Integer> seen = new HashMap<>();
      for (int route = 0; route < layout.routes(); route++) {
        int origin = layout.origin(route);
        boolean comes = layout.travels(origin, host, layout.block(route)) && origin != host;
        for (long chunk = 0; comes && chunk < layout.chunks(route); chunk++) {
          boolean total = layout.isTotal(route);
          long room = total ? layout.plan().mostTotals() : layout.plan().mostRowsFromEach(host);
          long first = layout.chunkBegin(route, chunk);
          for (long row = first; row < layout.chunkEnd(route, chunk); row++) {
            long at = layout.receivedRow(host, route, row);
            assertTrue(at >= 0 && at < room);
            assertEquals(at, layout.receivedRow(host, route, first) + row - first);
            assertNull(seen.put("%s %d".formatted(total ? "total" : origin, at), route));
          }
        }
      }
    }
  }

  /** A block leaves a host once for each other host that wants it, and is received there. */
  private static void checkTransfers(SumLayout layout) {
    Hosts hosts = layout.plan().hosts();
    Map<String, Integer> open = new HashMap<>();
    Map<Integer, Integer> timesSent = new HashMap<>();
    for (int rank = 0; rank < hosts.ranks(); rank++) {
      Transfers transfers = new Transfers(rank);
      transfers.fill(layout);
      for (int i = 0; i < transfers.sends().count(); i++) {
        int route = transfers.sends().route(i);
        timesSent.merge(route, 1, Integer::sum);
        assertEquals(rank, layout.owner(hosts.hostOf(rank), layout.block(route)));
        open.merge(
            "%d from %d to %d".formatted(route, rank, transfers.sends().peer(i)), 1, Integer::sum);
      }
      for (int i = 0; i < transfers.receives().count(); i++) {
        int route = transfers.receives().route(i);
        open.merge(
            "%d from %d to %d".formatted(route, transfers.receives().peer(i), rank),
            -1,
            Integer::sum);
      }
    }
    assertTrue(open.values().stream().allMatch(balance -> balance == 0), open::toString);
    boolean scattered = layout.plan().problem().scattered();
    timesSent.forEach(
        (route, times) ->
            assertEquals(
                scattered || (layout.isStaged() && !layout.isTotal(route)) ? 1 : hosts.count() - 1,
                times));
    for (int block = 0; block < hosts.ranks(); block++) {
      for (int host = 0; host < hosts.count(); host++) {
        int route = layout.route(host, block);
        boolean hasRows = layout.chunks(route) > 0;
        assertEquals(hasRows && layout.leaves(host, block), timesSent.containsKey(route));
      }
    }
  }

  /** One row for each of many ranks is one product, and more are one for each host. */
  @Test
  void fewRowsForManyRanksAreOneTile() {
    SumLayout layout =
        SumPlan.of(
                new SumProblem(4096, 16_384, true, 64),
                Hosts.of(0, 0, 0, 0, 1, 1, 1, 1),
                Tuning.DEFAULT)
            .step();
    layout.lay(new long[] {1, 1, 1, 1, 1, 1, 1, 1});
    assertEquals(1, layout.tiles());
    layout.lay(new long[] {8, 8, 8, 8, 8, 8, 8, 8});
    assertEquals(2, layout.tiles());
  }

  @Test
  void sumsThatAreForAllNeedTheSameRows() {
    SumLayout layout =
        SumPlan.of(new SumProblem(8, 32, false, 64), Hosts.single(2), Tuning.DEFAULT).step();
    assertThrows(IllegalArgumentException.class, () -> layout.lay(new long[] {3, 4}));
    assertThrows(IllegalArgumentException.class, () -> layout.lay(new long[] {65, 65}));
  }

  @Test
  void withoutOverlapThereMustBeRoomForAll() {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED).withOverlap(Overlap.SEQUENTIAL);
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                SumPlan.of(
                    new SumProblem(8, 32, true, 64), Hosts.single(2), streamed.withChunkRows(2)));
    assertTrue(String.valueOf(e.getMessage()).contains("room for 2 of 32 tiles"), e::toString);
  }

  @Test
  void aPlanExplainsItself() {
    SumPlan plan =
        SumPlan.of(new SumProblem(4096, 16_384, true, 4096), Hosts.of(0, 1), Tuning.DEFAULT);
    assertEquals(256, plan.tileRows());
    assertTrue(
        plan.explain().toString().contains("each tile leaves its host once"),
        plan.explain()::toString);
    SumLayout layout = plan.step();
    layout.lay(new long[] {2000, 2096});
    assertTrue(
        layout
            .toString()
            .contains(
                "rows 0-1999 of rank 0; host 0: added up by rank 0; host 1: added up by rank 1, leaves"),
        layout::toString);
  }
}
