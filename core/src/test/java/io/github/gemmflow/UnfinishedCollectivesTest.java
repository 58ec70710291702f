// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.kit.Pauses;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Collective calls that a thread does not see to their end. One that is interrupted has left its
 * call half done: the group is broken, for the others too, so that nobody takes the next call for
 * the same one.
 */
@ExtendWith(Pauses.class)
@Timeout(60)
class UnfinishedCollectivesTest {
  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  @Test
  void theGroupIsBroken() {
    CountDownLatch given = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.split(ReplicaGroups.ofSize(2));
              if (world.rank() == 1) {
                Thread.currentThread().interrupt();
                assertThrows(BrokenException.class, () -> group.broadcast(0, null));
                assertTrue(Thread.interrupted());
                assertThrows(BrokenException.class, () -> group.broadcast(0, null));
                // It holds what the exchange that is under way looks at.
                group.close();
                given.countDown();
              } else {
                given.await();
                assertThrows(BrokenException.class, () -> broadcastTwice(group));
              }
            });
  }

  /** Nobody takes away what a thread that waits looks at. */
  @Test
  void aGroupInWhichAThreadWaitsStaysOpen() {
    CountDownLatch refused = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.split(ReplicaGroups.ofSize(2));
              if (world.rank() == 1) {
                CompletableFuture<byte[]> got = new CompletableFuture<>();
                Thread waiter =
                    Thread.ofPlatform().start(() -> got.complete(group.broadcast(0, null)));
                while (waiter.getState() != Thread.State.TIMED_WAITING) {
                  Thread.onSpinWait();
                }
                assertThrows(IllegalStateException.class, group::close);
                refused.countDown();
                assertArrayEquals(new byte[] {7}, got.get(30, TimeUnit.SECONDS));
                waiter.join();
              } else {
                refused.await();
                byte[] _ = group.broadcast(0, new byte[] {7});
              }
              group.close();
            });
  }

  /** What all had brought before it was broken may still arrive. */
  private static void broadcastTwice(Group group) {
    for (int i = 0; i < 2; i++) {
      byte[] _ = group.broadcast(0, new byte[1]);
    }
  }
}
