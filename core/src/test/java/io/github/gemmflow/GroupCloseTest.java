// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.ForwardingEngine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups that one thread closes while another one closes the world. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCloseTest {
  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  /** Engine whose groups are not freed before somebody lets them. */
  private static final class Slow extends ForwardingEngine {
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch mayClose = new CountDownLatch(1);

    Slow(Engine engine) {
      super(engine);
    }

    @Override
    public Channel split(int color) {
      return new ForwardingChannel(super.split(color)) {
        @Override
        public void close() {
          closing.countDown();
          await(mayClose);
          super.close();
        }
      };
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(30, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A world that is closed has asked for its groups before, and looks into the memory of each. */
  @Test
  void aWorldThatIsClosedWaitsUntilAGroupIs() {
    Slow[] engine = new Slow[1];
    LocalWorld.of(1)
        .decorate(real -> engine[0] = new Slow(real))
        .run(
            world -> {
              Group group = world.group();
              Thread closer = Thread.ofPlatform().start(group::close);
              await(engine[0].closing);
              CompletableFuture<String> reason = new CompletableFuture<>();
              Thread asker = Thread.ofPlatform().start(() -> reason.complete(group.reason()));
              while (asker.isAlive() && asker.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
              }
              assertTrue(asker.isAlive());
              engine[0].mayClose.countDown();
              assertEquals("", reason.get(30, TimeUnit.SECONDS));
              closer.join();
            });
  }

  @Test
  void aClosedGroupHasNotFailed() {
    LocalWorld.of(1)
        .run(
            world -> {
              Group group = world.group();
              group.close();
              assertEquals("", group.reason());
              assertTrue(group.shut());
            });
  }

  @Test
  void bothAtOnceEndWell() {
    for (int i = 0; i < 200; i++) {
      AtomicInteger ready = new AtomicInteger();
      World world = World.single();
      Group group = world.group();
      Thread closer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    meet(ready);
                    group.close();
                  });
      meet(ready);
      world.close();
      join(closer);
      Leftovers.assertNone();
    }
  }

  private static void meet(AtomicInteger ready) {
    ready.incrementAndGet();
    while (ready.get() < 2) {
      Thread.onSpinWait();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
