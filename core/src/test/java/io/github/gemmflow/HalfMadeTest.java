// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.pipeline.WindowSize;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.window.Window;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What was made is closed again if a later part of the same thing cannot be made. */
class HalfMadeTest {
  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  /** The communication thread is busy, and has no time for another workspace. */
  @Test
  void aWorkspaceThatTheCommunicationThreadDoesNotServeLeavesNoThread() {
    Config config = Config.builder().threads(2).deadline(Duration.ofMillis(200)).build();
    LocalWorld.onHosts(0, 1)
        .config(config)
        .run(
            world -> {
              Group group = world.group();
              Workspace.Builder builder = Workspace.on(group).rows(4).columns(4);
              RowFormat format = builder.types().format(4);
              Capacity capacity = WindowSize.capacity(4, format, group.domains(), builder.tuning);
              long bytes = WindowSize.bytes(group.domains(), world.rank(), capacity);
              CountDownLatch done = new CountDownLatch(1);
              try (Window window = group.openWindow("testing", bytes)) {
                CompletableFuture<Boolean> busy =
                    world.membership().commThread().call(() -> await(done));
                try {
                  assertThrows(
                      DeadlineException.class, () -> new Workspace(builder, capacity, 0, window));
                } finally {
                  done.countDown();
                }
                assertTrue(busy.get(30, TimeUnit.SECONDS));
              }
              String mine = "gemmflow-%d-".formatted(world.rank());
              assertEquals(
                  List.of(), Leftovers.threads().stream().filter(t -> t.startsWith(mine)).toList());
            });
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
