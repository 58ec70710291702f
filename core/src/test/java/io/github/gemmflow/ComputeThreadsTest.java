// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that multiply: whose they are, and how many. */
class ComputeThreadsTest {
  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  private static void multiply(Config.Builder config, int steps) {
    try (Arena arena = Arena.ofShared();
        World world = World.single(config.build());
        Workspace space = Workspace.on(world.group()).rows(40).columns(30).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, 30, 200, 2, arena), WeightLayout.IN_OUT);
        AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build()) {
      Matrix a = Exact.matrix(DType.F32, 40, 30, 1, arena);
      Matrix c = Matrix.allocate(DType.F32, 40, 200, arena);
      for (int i = 0; i < steps; i++) {
        product.run(a, c.fill(Float.NaN));
        Exact.checkProduct(c, 1, 2, 30);
      }
    }
  }

  @Test
  void anExecutorLendsItsThreads() {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    StallingKernel kernel = new StallingKernel(() -> seen.add(Thread.currentThread().getName()));
    try (ExecutorService pool =
        Executors.newFixedThreadPool(2, Thread.ofPlatform().name("lent-", 1).factory())) {
      multiply(Config.builder().kernel(kernel).threads(3).executor(pool), 200);
    }
    assertTrue(seen.contains("lent-1") && seen.contains("lent-2"), seen.toString());
    seen.remove(Thread.currentThread().getName());
    assertEquals(Set.of("lent-1", "lent-2"), seen);
  }

  /** A pool whose threads are all busy elsewhere costs speed, not the step. */
  @Test
  void helpersThatNeverComeAreNotWaitedFor() {
    Queue<Runnable> late = new ArrayDeque<>();
    multiply(Config.builder().threads(3).executor(late::add), 5);
    assertEquals(10, late.size());
    late.forEach(Runnable::run);
  }

  @Test
  void anExecutorThatIsShutDownIsNotIgnored() {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    pool.close();
    Config.Builder config = Config.builder().threads(2).executor(pool);
    assertThrows(RejectedExecutionException.class, () -> multiply(config, 1));
  }

  @Test
  void moreThreadsThanProcessorsAreSaidToBeTooMany() {
    int processors = Runtime.getRuntime().availableProcessors();
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            said.add(new SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.github.gemmflow");
    logger.addHandler(handler);
    try {
      World.single(Config.builder().threads(processors).build()).close();
      assertTrue(said.stream().noneMatch(line -> line.contains("too many")), said.toString());
      World.single(Config.builder().threads(2 * processors).build()).close();
    } finally {
      logger.removeHandler(handler);
    }
    String expected =
        "rank 0: 1 rank with %d compute threads each are too many for the %d processors that this process may use: set gemmflow.threads to %d"
            .formatted(2 * processors, processors, processors);
    assertTrue(said.contains(expected), said.toString());
  }
}
