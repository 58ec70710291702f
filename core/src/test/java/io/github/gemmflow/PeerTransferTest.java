// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Pauses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of any number between two ranks. */
@ExtendWith(Pauses.class)
@Timeout(120)
class PeerTransferTest {
  private static final int MIB = 1 << 20;

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  private static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Around a ring, at the same time in both directions, on one host and between hosts. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8, 4095, 4096, 4097, MIB - 1, MIB, MIB + 1, 9 * MIB + 5})
  void theyArriveAsTheyWere(int length) {
    for (LocalWorld world : new LocalWorld[] {LocalWorld.of(3), LocalWorld.onHosts(0, 0, 1)}) {
      world
          .decorate(engine -> new ChaosEngine(engine, Chaos.delays(length + engine.rank())))
          .run(
              w -> {
                Group group = w.group();
                int next = (group.rank() + 1) % 3;
                int last = (group.rank() + 2) % 3;
                CompletableFuture<Void> sent =
                    inBackground(
                        () -> group.send(next, MemorySegment.ofArray(random(w.rank(), length))));
                byte[] received = new byte[length];
                group.receive(last, MemorySegment.ofArray(received));
                assertArrayEquals(random(last, length), received);
                sent.get(60, TimeUnit.SECONDS);
              });
    }
  }

  private static CompletableFuture<Void> inBackground(Runnable what) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                what.run();
                done.complete(null);
              } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  /** In the order in which they were sent, also while steps and other groups are at work. */
  @Test
  void theyKeepTheirOrder() {
    LocalWorld.onHosts(0, 1)
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(7)))
        .run(
            world -> {
              Group pair = world.split(ReplicaGroups.ofSize(2));
              try (Arena arena = Arena.ofShared()) {
                MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
                for (int i = 0; i < 100; i++) {
                  Group group = i % 3 == 0 ? pair : world.group();
                  if (world.rank() == i % 2) {
                    number.set(ValueLayout.JAVA_INT, 0, i);
                    group.send(1 - world.rank(), number);
                  } else {
                    group.receive(1 - world.rank(), number);
                    assertEquals(i, number.get(ValueLayout.JAVA_INT, 0));
                  }
                  if (i % 10 == 0) {
                    world.group().barrier();
                  }
                }
              }
              pair.close();
            });
  }

  @Test
  void whoExpectsOtherBytesBreaksTheGroup() {
    Throwable[] thrown = new Throwable[2];
    LocalWorld.of(2)
        .run(
            world -> {
              MemorySegment bytes = MemorySegment.ofArray(new byte[world.rank() == 0 ? 20 : 30]);
              try {
                if (world.rank() == 0) {
                  world.group().send(1, bytes);
                  world.group().barrier();
                } else {
                  world.group().receive(0, bytes);
                }
              } catch (RuntimeException e) {
                thrown[world.rank()] = e;
              }
            });
    String message = "rank 1 receives 30 bytes from rank 0, which sends 20";
    assertEquals(message, assertInstanceOf(IllegalArgumentException.class, thrown[1]).getMessage());
    assertTrue(
        assertInstanceOf(GemmflowException.class, thrown[0]).toString().contains(message),
        thrown[0]::toString);
  }

  @Test
  void whatCannotBeSentIsRefusedAtOnce() {
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.group();
              MemorySegment bytes = MemorySegment.ofArray(new byte[4]);
              for (int peer : new int[] {-1, 2, world.rank()}) {
                assertThrows(IllegalArgumentException.class, () -> group.send(peer, bytes));
                assertThrows(IllegalArgumentException.class, () -> group.receive(peer, bytes));
              }
              int peer = 1 - world.rank();
              assertThrows(
                  IllegalArgumentException.class, () -> group.receive(peer, bytes.asReadOnly()));
              try (Arena confined = Arena.ofConfined()) {
                MemorySegment mine = confined.allocate(4);
                assertThrows(IllegalArgumentException.class, () -> group.send(peer, mine));
              }
              group.barrier();
            });
  }

  /** Whoever gives up breaks the group; its memory is left alone from then on. */
  @Test
  void whoIsInterruptedBreaksTheGroup() {
    CountDownLatch given = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.split(ReplicaGroups.ofSize(2));
              MemorySegment bytes = MemorySegment.ofArray(new byte[3 * MIB]);
              if (world.rank() == 1) {
                Thread.currentThread().interrupt();
                assertThrows(BrokenException.class, () -> group.receive(0, bytes));
                assertTrue(Thread.interrupted());
                given.countDown();
              } else {
                given.await();
                assertThrows(BrokenException.class, () -> group.send(1, bytes));
              }
            });
  }

  /** Memory that is closed meanwhile is an error of one program, and not of the engine. */
  @Test
  void memoryThatIsClosedMeanwhileBreaksTheGroup() {
    CountDownLatch closed = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.split(ReplicaGroups.ofSize(2));
              if (world.rank() == 1) {
                Arena arena = Arena.ofShared();
                MemorySegment bytes = arena.allocate(10);
                CompletableFuture<Void> received = inBackground(() -> group.receive(0, bytes));
                arena.close();
                closed.countDown();
                Exception e =
                    assertThrows(Exception.class, () -> received.get(60, TimeUnit.SECONDS));
                assertInstanceOf(IllegalStateException.class, e.getCause());
              } else {
                closed.await();
                // The group may be broken before the send is over, which the other end takes.
                assertThrows(
                    BrokenException.class,
                    () -> {
                      group.send(1, MemorySegment.ofArray(new byte[10]));
                      group.barrier();
                    });
              }
            });
  }

  @Test
  void aGroupInWhichAThreadWaitsStaysOpen() {
    CountDownLatch refused = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.split(ReplicaGroups.ofSize(2));
              MemorySegment bytes = MemorySegment.ofArray(new byte[10]);
              if (world.rank() == 1) {
                Thread waiter = Thread.ofPlatform().start(() -> group.receive(0, bytes));
                while (waiter.getState() != Thread.State.TIMED_WAITING) {
                  Thread.onSpinWait();
                }
                assertThrows(IllegalStateException.class, group::close);
                refused.countDown();
                waiter.join();
              } else {
                refused.await();
                group.send(1, bytes);
              }
              group.close();
            });
  }

  @Test
  void aRankThatLeftIsNotWaitedFor() {
    Throwable[] thrown = new Throwable[1];
    LocalWorld.of(2)
        .run(
            world -> {
              if (world.rank() == 0) {
                try {
                  world.group().receive(1, MemorySegment.ofArray(new byte[5]));
                } catch (GemmflowException e) {
                  thrown[0] = e;
                }
              }
            });
    String message = String.valueOf(assertInstanceOf(GemmflowException.class, thrown[0]));
    assertTrue(message.contains("rank 1 has left the job"), message);
  }
}
