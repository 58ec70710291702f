// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Engine} must do. An implementation extends this and runs a program on every
 * rank of a job of any size; the tests are such programs. Ranks may be threads or processes, so
 * each rank checks for itself.
 */
public abstract class EngineContract {
  private static final int NO_REQUEST = -1;

  /** What the MPI standard promises. */
  private static final int MOST_TAG_OF_ANY_MPI = 32767;

  private static final long LOOK_NANOS = 20_000;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  /** What a rank does with its engine, on the thread that may call it. */
  @FunctionalInterface
  public interface Program {
    void run(Engine engine) throws Exception;
  }

  /** Runs a program on every rank of a job; throws what a rank threw. */
  protected abstract void onEveryRank(Program program) throws Exception;

  private static void poll(Engine engine, BooleanSupplier until) {
    long start = System.nanoTime();
    while (!until.getAsBoolean()) {
      engine.progress();
      assertTrue(System.nanoTime() - start < PATIENCE_NANOS, "nothing happens");
      // Ranks may be more than cores are.
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static void barrier(Engine engine) {
    Exchange all = engine.world().allGather(new byte[0]);
    poll(engine, all::isDone);
  }

  private static MemorySegment numbers(Arena arena, int count, int first) {
    MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT, count);
    for (int i = 0; i < count; i++) {
      memory.setAtIndex(ValueLayout.JAVA_INT, i, first + i);
    }
    return memory;
  }

  private static Block block(MemorySegment memory) {
    return new Block().at(memory, 0, 1, memory.byteSize(), memory.byteSize());
  }

  @Test
  void ranksKnowWhoTheyAre() throws Exception {
    onEveryRank(
        engine -> {
          assertEquals(engine.rank(), engine.world().rank());
          assertEquals(engine.size(), engine.world().size());
          assertFalse(engine.name().isBlank());
          Exchange ranks = engine.world().allGather(new byte[] {(byte) engine.rank()});
          poll(engine, ranks::isDone);
          assertEquals(engine.size(), ranks.result().length);
          for (int rank = 0; rank < engine.size(); rank++) {
            assertArrayEquals(new byte[] {(byte) rank}, ranks.result()[rank]);
          }
        });
  }

  /** Another rank, whose peer is this one; itself, if one is left over. */
  private static int peer(Engine engine) {
    int other = engine.rank() ^ 1;
    return other < engine.size() ? other : engine.rank();
  }

  @Test
  void everyRankGetsWhatAllGave() throws Exception {
    onEveryRank(
        engine -> {
          for (int round = 0; round < 20; round++) {
            String mine = "%d".formatted(engine.rank()).repeat(engine.rank() * round);
            Exchange exchange = engine.world().allGather(mine.getBytes(UTF_8));
            poll(engine, exchange::isDone);
            byte[][] all = exchange.result();
            assertEquals(engine.size(), all.length);
            for (int rank = 0; rank < engine.size(); rank++) {
              assertEquals("%d".formatted(rank).repeat(rank * round), new String(all[rank], UTF_8));
            }
          }
        });
  }

  /** Calls may come from one thread after another. */
  @Test
  void anotherThreadFindsAnExchangeComplete() throws Exception {
    onEveryRank(
        engine -> {
          byte[] mine = {(byte) engine.rank()};
          Exchange exchange = engine.world().allGather(mine);
          CompletableFuture.runAsync(() -> poll(engine, exchange::isDone)).join();
          assertArrayEquals(mine, exchange.result()[engine.rank()]);
        });
  }

  /** Many are under way at once, on several channels, and complete in any order, some together. */
  @Test
  void exchangesAreKeptApart() throws Exception {
    int count = 24;
    onEveryRank(
        engine -> {
          Channel[] channels = new Channel[8];
          Arrays.setAll(channels, i -> engine.split(0));
          for (int round = 0; round < 50; round++) {
            Exchange[] exchanges = new Exchange[count];
            for (int i = 0; i < count; i++) {
              byte[] mine = new byte[i * 7];
              Arrays.fill(mine, (byte) (i + engine.rank()));
              exchanges[i] = channels[i % channels.length].allGather(mine);
            }
            for (int i = count - 1; i >= 0; i--) {
              poll(engine, exchanges[i]::isDone);
              for (int rank = 0; rank < engine.size(); rank++) {
                byte[] theirs = new byte[i * 7];
                Arrays.fill(theirs, (byte) (i + rank));
                assertArrayEquals(theirs, exchanges[i].result()[rank]);
              }
            }
          }
        });
  }

  @Test
  void transfersOfOneTagKeepTheirOrder() throws Exception {
    int count = 64;
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int next = (engine.rank() + 1) % engine.size();
          int before = (engine.rank() + engine.size() - 1) % engine.size();
          try (Arena arena = Arena.ofShared()) {
            int[] sends = new int[count];
            int[] receives = new int[count];
            MemorySegment[] targets = new MemorySegment[count];
            for (int i = 0; i < count; i++) {
              // Small and large, so that buffered and unbuffered ones alternate.
              int size = i % 3 == 0 ? 4 : 5_000;
              sends[i] = channel.send(next, 9, block(numbers(arena, size, i)), i % 2 == 0);
            }
            for (int i = 0; i < count; i++) {
              targets[i] = numbers(arena, i % 3 == 0 ? 4 : 5_000, -1_000_000);
              receives[i] = channel.receive(before, 9, block(targets[i]));
            }
            for (int i = count - 1; i >= 0; i--) {
              int index = i;
              poll(engine, () -> channel.isDone(receives[index]));
              poll(engine, () -> channel.isDone(sends[index]));
            }
            for (int i = 0; i < count; i++) {
              assertEquals(-1, targets[i].mismatch(numbers(arena, i % 3 == 0 ? 4 : 5_000, i)));
            }
          }
          barrier(engine);
        });
  }

  @Test
  void aShortBlockMayBeShorterThanExpected() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int peer = engine.rank() ^ 1;
          if (peer < engine.size()) {
            try (Arena arena = Arena.ofShared()) {
              long[] lengths = {4, Channel.SHORT_BYTES, 64, 5000};
              for (long length : lengths) {
                MemorySegment source = arena.allocate(length).fill((byte) length);
                MemorySegment target = arena.allocate(Channel.SHORT_BYTES).fill((byte) 99);
                int receive = channel.receiveUpTo(peer, 3, oneRow(target));
                int send = channel.send(peer, 3, oneRow(source), false);
                poll(engine, () -> channel.isDone(receive));
                poll(engine, () -> channel.isDone(send));
                assertEquals(-1, target.asSlice(0, length).mismatch(source));
                if (length < Channel.SHORT_BYTES) {
                  assertEquals(99, target.get(ValueLayout.JAVA_BYTE, length), "nothing behind it");
                }
              }
            }
          }
          barrier(engine);
        });
  }

  private static Block oneRow(MemorySegment memory) {
    return new Block().at(memory, 0, 1, memory.byteSize(), memory.byteSize());
  }

  /** The lowest and the highest tag. */
  @Test
  void tagsAndSourcesAreKeptApart() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int most = channel.mostTag();
          assertTrue(most >= MOST_TAG_OF_ANY_MPI, () -> "the highest tag is " + most);
          int ranks = engine.size();
          try (Arena arena = Arena.ofShared()) {
            int[] requests = new int[2 * ranks * 2];
            MemorySegment[] targets = new MemorySegment[ranks * 2];
            int next = 0;
            for (int tag = 1; tag >= 0; tag--) {
              for (int rank = 0; rank < engine.size(); rank++) {
                int value = 100 * engine.rank() + 10 * rank + tag;
                requests[next++] =
                    channel.send(rank, tag * most, block(numbers(arena, 1, value)), true);
              }
            }
            for (int tag = 0; tag < 2; tag++) {
              for (int rank = ranks - 1; rank >= 0; rank--) {
                targets[tag * ranks + rank] = numbers(arena, 1, -1);
                requests[next++] =
                    channel.receive(rank, tag * most, block(targets[tag * ranks + rank]));
              }
            }
            for (int request : requests) {
              poll(engine, () -> channel.isDone(request));
            }
            for (int tag = 0; tag < 2; tag++) {
              for (int rank = 0; rank < engine.size(); rank++) {
                assertEquals(
                    100 * rank + 10 * engine.rank() + tag,
                    targets[tag * ranks + rank].get(ValueLayout.JAVA_INT, 0));
              }
            }
          }
          barrier(engine);
        });
  }

  @Test
  void stridedBlocksTravelRowByRow() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int peer = peer(engine);
          try (Arena arena = Arena.ofShared()) {
            MemorySegment source = numbers(arena, 5 * 7, 1000 * engine.rank());
            MemorySegment target = numbers(arena, 5 * 11, -1000);
            // 5 rows of 3 numbers: 7 apart where they come from, 11 apart where they go.
            int send = channel.send(peer, 0, new Block().at(source, 8, 5, 12, 28), false);
            int receive = channel.receive(peer, 0, new Block().at(target, 16, 5, 12, 44));
            poll(engine, () -> channel.isDone(receive));
            poll(engine, () -> channel.isDone(send));
            for (int row = 0; row < 5; row++) {
              for (int column = 0; column < 11; column++) {
                boolean inside = column >= 4 && column < 7;
                int expected =
                    inside ? 1000 * peer + 7 * row + column - 2 : -1000 + 11 * row + column;
                assertEquals(expected, target.getAtIndex(ValueLayout.JAVA_INT, 11L * row + column));
              }
            }
          }
          barrier(engine);
        });
  }

  @Test
  void emptyBlocksTravelToo() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int peer = peer(engine);
          int send = channel.send(peer, 0, new Block().at(MemorySegment.NULL, 0, 3, 0, 0), true);
          int receive = channel.receive(peer, 0, new Block().at(MemorySegment.NULL, 0, 3, 0, 0));
          poll(engine, () -> channel.isDone(receive));
          poll(engine, () -> channel.isDone(send));
          barrier(engine);
        });
  }

  @Test
  void aSynchronousSendWaitsForItsReceiver() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int peer = peer(engine);
          try (Arena arena = Arena.ofShared()) {
            int send = channel.send(peer, 0, block(numbers(arena, 1, 5)), true);
            for (int i = 0; i < 1000; i++) {
              engine.progress();
              assertFalse(channel.isDone(send));
            }
            barrier(engine);
            int receive = channel.receive(peer, 0, block(numbers(arena, 1, 0)));
            poll(engine, () -> channel.isDone(receive));
            poll(engine, () -> channel.isDone(send));
          }
          barrier(engine);
        });
  }

  @Test
  void aBlockOfAnotherSizeIsAnError() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int last = engine.size() - 1;
          try (Arena arena = Arena.ofShared()) {
            // MPI libraries do not check what a rank sends to itself.
            int receive =
                engine.rank() == last && last > 0
                    ? channel.receive(0, 0, block(numbers(arena, 2, 0)))
                    : NO_REQUEST;
            if (engine.rank() == 0 && last > 0) {
              int send = channel.send(last, 0, block(numbers(arena, 4, 5)), false);
              poll(engine, () -> channel.isDone(send));
            }
            if (engine.rank() == last && last > 0) {
              EngineException e =
                  assertThrows(
                      EngineException.class, () -> poll(engine, () -> channel.isDone(receive)));
              assertTrue(e.toString().contains("rank 0"), e.getMessage());
            }
          }
          barrier(engine);
        });
  }

  @Test
  void aCancelledReceiveIsForgotten() throws Exception {
    onEveryRank(
        engine -> {
          Channel channel = engine.world();
          int peer = peer(engine);
          try (Arena arena = Arena.ofShared()) {
            MemorySegment untouched = numbers(arena, 1, 42);
            channel.cancel(channel.receive(peer, 0, block(untouched)));
            barrier(engine);
            MemorySegment target = numbers(arena, 1, 0);
            int send = channel.send(peer, 0, block(numbers(arena, 1, 7)), true);
            int receive = channel.receive(peer, 0, block(target));
            poll(engine, () -> channel.isDone(receive));
            poll(engine, () -> channel.isDone(send));
            assertEquals(7, target.get(ValueLayout.JAVA_INT, 0));
            assertEquals(42, untouched.get(ValueLayout.JAVA_INT, 0));
          }
          barrier(engine);
        });
  }

  @Test
  void channelsOfASplitAreApart() throws Exception {
    onEveryRank(
        engine -> {
          int color = engine.rank() % 2;
          Channel half = engine.split(color);
          assertEquals((engine.size() + 1 - color) / 2, half.size());
          assertEquals(engine.rank() / 2, half.rank());
          try (Arena arena = Arena.ofShared()) {
            int next = (half.rank() + 1) % half.size();
            int before = (half.rank() + half.size() - 1) % half.size();
            MemorySegment target = numbers(arena, 1, 0);
            int send = half.send(next, 0, block(numbers(arena, 1, engine.rank())), true);
            int receive = half.receive(before, 0, block(target));
            poll(engine, () -> half.isDone(receive));
            poll(engine, () -> half.isDone(send));
            assertEquals(2 * before + color, target.get(ValueLayout.JAVA_INT, 0));
          }
          Exchange exchange = half.allGather(new byte[] {(byte) engine.rank()});
          poll(engine, exchange::isDone);
          for (int rank = 0; rank < half.size(); rank++) {
            assertArrayEquals(new byte[] {(byte) (2 * rank + color)}, exchange.result()[rank]);
          }
          barrier(engine);
        });
  }
}
