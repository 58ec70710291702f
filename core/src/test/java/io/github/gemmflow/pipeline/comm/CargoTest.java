// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepHeaders;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of a message find the same behind its header, without telling each other. */
class CargoTest {
  private static final Hosts THREE_HOSTS = Hosts.of(0, 1, 2);
  private static final int[] OTHERS_OF_0 = {1, 2};
  private static final long MOST = Cargo.mostBytes(3);

  /** One rank's side of a step in which each rank sends every other one its rows of a sum. */
  private static final class Side {
    final SumLayout layout;
    final StreamProgress sends = new StreamProgress();
    final StreamProgress receives = new StreamProgress();
    final Memory traffic = new Memory();
    final Cargo cargo = new Cargo(THREE_HOSTS);

    Side(int rank, long columns, long... rows) {
      Tuning tuning = Tuning.DEFAULT.withChunkRows(2);
      this.layout =
          SumPlan.of(new SumProblem(columns, 4 * columns, true, 10_000), THREE_HOSTS, tuning)
              .step();
      layout.lay(rows);
      Transfers transfers = new Transfers(rank);
      transfers.fill(layout);
      sends.reset(transfers.sends(), layout);
      receives.reset(transfers.receives(), layout);
    }

    void findToSend(int... targets) {
      cargo.find(sends, layout, traffic, targets, 0);
    }

    void findToCome(int... sources) {
      cargo.find(receives, layout, traffic, sources, Cargo.OF_PEERS);
    }

    /** Memory in which every chunk has bytes of its own, or none yet. */
    final class Memory implements ChunkTraffic {
      final Set<Integer> late = new HashSet<>();
      final Set<Integer> alone = new HashSet<>();
      final MemorySegment received = Arena.ofAuto().allocate(1 << 22);

      @Override
      public void start(Transfers transfers) {}

      @Override
      public long sendable(int route) {
        return layout.chunks(route) - (late.contains(route) ? 1 : 0);
      }

      @Override
      public long receivable(int route) {
        return layout.chunks(route);
      }

      @Override
      public int tag(int route) {
        return route;
      }

      private long bytes(int route, long chunk) {
        return layout.bytes(route, chunk, chunk + 1);
      }

      @Override
      public Block toSend(Block block, int route, long chunk) {
        long bytes = bytes(route, chunk);
        MemorySegment own = Arena.ofAuto().allocate(bytes).fill(pattern(route, chunk));
        return block.at(own, 0, 1, bytes, bytes);
      }

      @Override
      public Block received(Block block, int route, long chunk) {
        long bytes = bytes(route, chunk);
        return block.at(received, layout.bytes(route, 0, chunk), 1, bytes, bytes);
      }

      @Override
      public boolean isSynchronous(int route, long chunk) {
        return false;
      }

      @Override
      public boolean mayFollowHeader(int route, int sender) {
        assertTrue(sender >= 0 && sender < THREE_HOSTS.ranks());
        return !alone.contains(route);
      }

      @Override
      public void arrived(int route, long chunks) {}

      @Override
      public void learn(long bytes, long nanos) {}

      @Override
      public int releaseSlots(StreamProgress sends) {
        return 0;
      }

      @Override
      public boolean areSlotsReleased() {
        return true;
      }
    }
  }

  private static byte pattern(int route, long chunk) {
    return (byte) (7L * route + chunk + 1);
  }

  private static MemorySegment message() {
    return Arena.ofAuto().allocate(StepHeaders.BYTES + MOST);
  }

  /** The rows of rank 1 of which rank 0 has partial sums: 1 to 5 of them, in chunks of two. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void whatIsPackedIsUnpacked(int rows) {
    Side sender = new Side(0, 8, 4, rows, 3);
    Side receiver = new Side(1, 8, 4, rows, 3);
    sender.findToSend(OTHERS_OF_0);
    receiver.findToCome(0, 2);
    MemorySegment message = message();
    long bytes = sender.cargo.pack(sender.sends, sender.layout, sender.traffic, 1, message);
    assertEquals(rows * 32L, bytes);
    receiver.cargo.unpack(receiver.receives, receiver.layout, receiver.traffic, 0, message, bytes);
    int stream = receiver.cargo.first(0);
    int route = receiver.receives.route(stream);
    assertEquals(Cargo.NONE, receiver.cargo.next(stream));
    for (long chunk = 0; chunk < receiver.layout.chunks(route); chunk++) {
      long from = receiver.layout.bytes(route, 0, chunk);
      for (long at = 0; at < receiver.layout.bytes(route, chunk, chunk + 1); at++) {
        assertEquals(
            pattern(route, chunk), receiver.traffic.received.get(ValueLayout.JAVA_BYTE, from + at));
      }
    }
  }

  /** What is more than a message may have travels by itself; what is for another rank does not. */
  @ParameterizedTest
  @CsvSource({"1024, true", "1025, false"})
  void onlyALittleTravelsBehindAHeader(int rows, boolean aboard) {
    assertEquals(32 << 10, MOST);
    Side side = new Side(0, 8, 4, rows, 3);
    side.findToSend(OTHERS_OF_0);
    assertEquals(aboard, side.cargo.first(1) != Cargo.NONE);
    assertTrue(side.cargo.first(2) != Cargo.NONE);
    assertEquals(aboard, side.cargo.hasAllLeft(side.sends));
    Side other = new Side(1, 8, 4, rows, 3);
    other.findToCome(0, 2);
    assertEquals(aboard, other.cargo.first(0) != Cargo.NONE, "as its sender does");
  }

  @Test
  void rowsWithoutColumnsAndNoRowsComeByThemselves() {
    Side empty = new Side(0, 0, 4, 4, 4);
    empty.findToSend(OTHERS_OF_0);
    assertEquals(Cargo.NONE, empty.cargo.first(1));
    Side none = new Side(0, 8, 4, 0, 4);
    none.findToSend(OTHERS_OF_0);
    assertEquals(Cargo.NONE, none.cargo.first(1));
    assertTrue(none.cargo.first(2) != Cargo.NONE);
  }

  @Test
  void whatMayNotFollowAHeaderIsNotAboard() {
    Side side = new Side(0, 8, 4, 4, 4);
    int route = side.sends.route(0);
    side.traffic.alone.add(route);
    side.findToSend(OTHERS_OF_0);
    assertFalse(side.cargo.has(0));
    assertFalse(side.cargo.hasAllLeft(side.sends));
  }

  /** Ranks that this one sends no header to get their rows by themselves. */
  @Test
  void onlyPeersOfHeadersHaveCargo() {
    Side side = new Side(0, 8, 4, 4, 4);
    side.findToSend(2);
    assertEquals(Cargo.NONE, side.cargo.first(1));
    assertTrue(side.cargo.first(2) != Cargo.NONE);
  }

  @Test
  void itIsCompleteWhenAllOfItIsHere() {
    Side side = new Side(0, 8, 4, 4, 4);
    side.traffic.late.add(side.sends.route(0));
    side.findToSend(OTHERS_OF_0);
    assertFalse(side.cargo.isComplete(side.sends, side.layout, side.traffic));
    side.traffic.late.clear();
    assertTrue(side.cargo.isComplete(side.sends, side.layout, side.traffic));
  }

  @Test
  void whatIsUnloadedTravelsByItself() {
    Side side = new Side(1, 8, 4, 4, 4);
    side.findToCome(0, 2);
    side.cargo.unload(0);
    assertEquals(Cargo.NONE, side.cargo.first(0));
    assertTrue(side.cargo.first(2) != Cargo.NONE);
    side.cargo.unload();
    assertEquals(Cargo.NONE, side.cargo.first(2));
    for (int stream = 0; stream < side.receives.count(); stream++) {
      assertFalse(side.cargo.has(stream));
    }
  }

  @Test
  void otherBytesThanExpectedAreNoRows() {
    Side side = new Side(1, 8, 4, 4, 4);
    side.findToCome(0, 2);
    for (long bytes : new long[] {4 * 32 - 1, 4 * 32 + 32, 0}) {
      EngineException e =
          assertThrows(
              EngineException.class,
              () ->
                  side.cargo.unpack(side.receives, side.layout, side.traffic, 0, message(), bytes));
      assertEquals(
          "rank 0 sent an unexpected message: %d bytes instead of 128".formatted(bytes),
          e.getMessage());
    }
  }
}
