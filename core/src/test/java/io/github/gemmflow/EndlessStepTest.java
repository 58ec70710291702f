// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Pauses;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A world closes although a step of it runs for ever, and hides no exception. In a process of its
 * own: what the step uses is never freed.
 */
@Tag("full")
@ExtendWith(Pauses.class)
class EndlessStepTest {
  private static final Duration DEADLINE = Duration.ofMillis(500);

  @TempDir private Path directory;

  @Test
  void theWorldClosesInTime() throws Exception {
    String said = OwnProcess.run(directory, EndlessStepTest.class);
    assertTrue(said.contains("a step is still running after its world was closed"), said);
    assertTrue(said.contains("the program's own exception"), said);
  }

  /** Whoever was to take the rows has failed, and who works on them waits for it. */
  public static void main(String[] arguments) throws InterruptedException {
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Config config = Config.builder().deadline(DEADLINE).productDeadline(DEADLINE).build();
    try (World world = World.single(config)) {
      Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
      Step step = AllGather.on(space).build().begin(RowCounts.known(2));
      step.start(
          (first, end, part, thread) -> {
            working.countDown();
            awaitForEver(never);
          });
      working.await();
      throw new IllegalStateException("the program's own exception");
    }
  }

  private static void awaitForEver(CountDownLatch never) {
    try {
      never.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
