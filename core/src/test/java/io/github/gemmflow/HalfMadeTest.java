// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.pipeline.WindowSize;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.window.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was made is closed again if a later part of the same thing cannot be made. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfMadeTest {
  @TempDir private Path directory;

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  /** Engine that counts the channels of groups that are open. */
  private static final class Counting extends ForwardingEngine {
    private final AtomicInteger open;

    Counting(Engine engine, AtomicInteger open) {
      super(engine);
      this.open = open;
    }

    @Override
    public Channel split(int color) {
      open.incrementAndGet();
      return new ForwardingChannel(super.split(color)) {
        @Override
        public void close() {
          open.decrementAndGet();
          super.close();
        }
      };
    }
  }

  /** Shared memory of one of two hosts is gone. MPICH has no more than some 2,000 groups. */
  @Test
  void aGroupThatCannotBeFormedLeavesNoChannel() {
    AtomicInteger open = new AtomicInteger();
    LocalWorld.onHosts(0, 1, 1)
        .config(rank -> Config.builder().windowDirectory(directoryOf(rank)).build())
        .decorate(engine -> new Counting(engine, open))
        .run(
            world -> {
              if (world.rank() == 1) {
                deleteWhenEmpty(directoryOf(1));
              }
              Exception e =
                  assertThrows(RuntimeException.class, () -> world.split(ReplicaGroups.ofSize(3)));
              assertTrue(e.toString().contains("for shared memory does not exist"), e::toString);
              directoryOf(world.rank());
              // All ranks have freed theirs when this returns on one of them.
              world.split(ReplicaGroups.ofSize(3)).close();
            });
    assertEquals(0, open.get());
  }

  /** Rank 0 has its windows there, too, and may not have unlinked that of the world yet. */
  private static void deleteWhenEmpty(Path directory) throws IOException {
    while (true) {
      try {
        Files.delete(directory);
        return;
      } catch (DirectoryNotEmptyException e) {
        Thread.onSpinWait();
      }
    }
  }

  private Path directoryOf(int rank) {
    try {
      return Files.createDirectories(directory.resolve("host of rank " + Math.max(rank, 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
              Capacity capacity = WindowSize.capacity(4, format, group.hosts(), builder.tuning);
              long bytes = WindowSize.bytes(group.hosts(), world.rank(), capacity);
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
