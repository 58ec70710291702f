// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of one step are never those of another, although a rank that waits for no other rank may be
 * two steps ahead, and the thread that polls may lose its core anywhere.
 */
class OvertakingTest {
  private static final int ROWS = 3;
  private static final int COLUMNS = 8;

  /** Elements of a row of more than half of the bytes that may travel with a header. */
  private static final int LONG_ROW = 5000;

  private static final int LONG_STEPS = 10;

  /** As long as rows take to compute: a header that waits for them is seen waiting. */
  private static final long COMPUTE_NANOS = 200_000;

  /**
   * Gathers rows that are all rank 0's.
   *
   * @param ownCounts in which share of the steps ranks know their own row count only
   */
  private static void gather(World world, int steps, long seed, double ownCounts) {
    Draw draw = new Draw(seed);
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(ROWS).columns(COLUMNS).open();
        AllGather gather = AllGather.on(space).build()) {
      Matrix all = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena);
      int mine = world.rank() == 0 ? ROWS : 0;
      for (int number = 0; number < steps; number++) {
        RowCounts counts = draw.chance(ownCounts) ? RowCounts.mine(mine) : RowCounts.known(ROWS, 0);
        try (Step step = gather.begin(counts)) {
          if (world.rank() == 0) {
            compute();
            Exact.fill(step.input(), number, 0);
          }
          step.run(all.fill(Float.NaN));
        }
        Exact.check(all, number);
      }
    }
  }

  private static void compute() {
    long end = System.nanoTime() + COMPUTE_NANOS;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static void gather(int steps, long seed, double ownCounts, Chaos chaos) {
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .decorate(engine -> engine.rank() == 0 ? new ChaosEngine(engine, chaos) : engine)
        .run(world -> gather(world, steps, seed, ownCounts));
  }

  @Test
  void rowsAreThoseOfTheirStep() {
    Cases.run(
        getClass(),
        2,
        seed -> {
          Chaos chaos = Chaos.none(seed).threadStalls(0.1, Duration.ofMillis(5));
          gather(Cases.shortOrSoak(300, 1000), seed, 0, chaos);
          gather(Cases.shortOrSoak(300, 1000), seed, 0.3, chaos);
        });
  }

  /** On one core, a thread that polls loses it to one that computes all the time. */
  @Test
  @Tag("full")
  void theyAreOnOneCore(@TempDir Path directory) throws IOException, InterruptedException {
    String said =
        OwnProcess.run(List.of("taskset", "-c", "0"), directory, OvertakingTest.class, "10000");
    assertTrue(said.contains("10000 steps of exact rows"), said);
  }

  /** Gathers a number of times; a second argument is the longest stall of a thread, in us. */
  public static void main(String[] args) {
    int steps = Integer.parseInt(args[0]);
    long micros = args.length > 1 ? Long.parseLong(args[1]) : 0;
    long seed = System.nanoTime();
    // Long stalls are rare, so that steps go on.
    double share = micros == 0 ? 0 : Math.min(0.1, 20.0 / micros);
    Chaos chaos = Chaos.none(seed).threadStalls(share, Duration.ofNanos(micros * 1000));
    gather(steps, seed, 0.1, chaos);
    System.out.printf("%d steps of exact rows, seed %d%n", steps, seed);
  }

  /** An engine, or a rank, that mixes up steps is found out before anything is computed. */
  @Test
  void aHeaderOfAnotherStepIsRefused() {
    LocalWorld world =
        LocalWorld.onHosts(0, 1)
            .decorate(engine -> engine.rank() == 0 ? new Forger(engine) : engine);
    List<String> thrown = new CopyOnWriteArrayList<>();
    assertThrows(
        GemmflowException.class,
        () -> world.run(rank -> gatherNothing(rank, e -> thrown.add(e.toString()))));
    String expected =
        "rank 1 received the header of step 6 from rank 0, where that of step 5 was due";
    assertTrue(thrown.stream().anyMatch(e -> e.contains(expected)), thrown::toString);
  }

  /** Two steps can be open at a time, and messages with one tag are taken in their order. */
  @Test
  void rowsOfNeighbouringStepsHaveTagsOfTheirOwn() {
    Map<Integer, Set<Integer>> tags = new ConcurrentHashMap<>();
    LocalWorld.onHosts(0, 1)
        .decorate(engine -> engine.rank() == 0 ? new TagSpy(engine, tags) : engine)
        .run(OvertakingTest::gatherLongRows);
    assertEquals(LONG_STEPS, tags.size());
    for (int step = 1; step < LONG_STEPS; step++) {
      assertTrue(Collections.disjoint(tags.get(step - 1), tags.get(step)), tags::toString);
    }
  }

  /** Rows that are too long to travel with a header; each element is the number of the step. */
  private static void gatherLongRows(World world) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(2 * ROWS).columns(LONG_ROW).open();
        AllGather gather = AllGather.on(space).build()) {
      Matrix all = Matrix.allocate(DType.F32, 2 * ROWS, LONG_ROW, arena);
      for (int number = 0; number < LONG_STEPS; number++) {
        try (Step step = gather.begin(RowCounts.known(ROWS, ROWS))) {
          step.input().fill(number);
          step.run(all);
        }
        assertEquals(number, all.get(2 * ROWS - 1, LONG_ROW - 1));
      }
    }
  }

  /** Engine that notes which tags the rows of each step have. */
  private static final class TagSpy extends ForwardingEngine {
    private final Map<Integer, Set<Integer>> tags;

    TagSpy(Engine engine, Map<Integer, Set<Integer>> tags) {
      super(engine);
      this.tags = tags;
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public int send(int target, int tag, Block block, boolean synchronous) {
          if (block.bytes() >= LONG_ROW * Float.BYTES) {
            float step = block.memory().get(ValueLayout.JAVA_FLOAT, block.offset());
            tags.computeIfAbsent((int) step, _ -> ConcurrentHashMap.newKeySet()).add(tag);
          }
          return super.send(target, tag, block, synchronous);
        }
      };
    }
  }

  private static void gatherNothing(World world, Consumer<GemmflowException> thrown) {
    try (Workspace space = Workspace.on(world.group()).rows(ROWS).columns(COLUMNS).open();
        AllGather gather = AllGather.on(space).build()) {
      for (int i = 0; i < 20; i++) {
        try (Step step = gather.begin(RowCounts.mine(0))) {
          step.run();
        }
      }
    } catch (GemmflowException e) {
      thrown.accept(e);
      throw e;
    }
  }

  /** Engine whose header of step 5 says that it is that of step 6. */
  private static final class Forger extends ForwardingEngine {
    private static final long STEP = 32;

    Forger(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new ForwardingChannel(channel) {
        @Override
        public int send(int target, int tag, Block block, boolean synchronous) {
          long at = block.offset() + STEP;
          if (block.memory().get(ValueLayout.JAVA_LONG, at) == 5) {
            block.memory().set(ValueLayout.JAVA_LONG, at, 6);
          }
          return super.send(target, tag, block, synchronous);
        }
      };
    }
  }
}
