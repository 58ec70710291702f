// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.kit.Pauses;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A rank whose thread is interrupted in a collective call has left it half done: its group is
 * broken, for the others too, so that nobody takes the next call for the same one.
 */
@ExtendWith(Pauses.class)
class InterruptedCollectiveTest {
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

  /** What all had brought before it was broken may still arrive. */
  private static void broadcastTwice(Group group) {
    for (int i = 0; i < 2; i++) {
      byte[] _ = group.broadcast(0, new byte[1]);
    }
  }
}
