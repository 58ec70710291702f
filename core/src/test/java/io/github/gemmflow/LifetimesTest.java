// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Using something after its end throws IllegalStateException; it never reads freed memory. */
@ExtendWith(Pauses.class)
class LifetimesTest {
  /** What a use gets to work with: a world of one with one operator. */
  private record Parts(World world, Workspace space, AllGather gather, Arena arena) {
    Step ranStep() {
      Step step = gather.begin(RowCounts.known(2));
      step.input().fill(1);
      run(step);
      return step;
    }

    /** Gathered rows need no output. */
    void run(Step step) {
      if (gather.explain().choice("storage").equals("streamed")) {
        step.run(Matrix.allocate(DType.F32, 2, 3, arena));
      } else {
        step.run();
      }
    }
  }

  /** Something that must throw. */
  private interface Use {
    void by(Parts parts) throws Exception;
  }

  private static final Map<String, Use> WRONG_USES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry(
                  "run after end",
                  p -> {
                    Step step = p.ranStep();
                    step.close();
                    p.run(step);
                  }),
              Map.entry(
                  "run twice",
                  p -> {
                    try (Step step = p.ranStep()) {
                      p.run(step);
                    }
                  }),
              Map.entry(
                  "input after end",
                  p -> {
                    Step step = p.ranStep();
                    step.close();
                    step.input();
                  }),
              Map.entry(
                  "input view after run",
                  p -> {
                    try (Step step = p.gather.begin(RowCounts.known(2))) {
                      Matrix input = step.input().fill(1);
                      p.run(step);
                      input.set(0, 0, 3);
                    }
                  }),
              Map.entry(
                  "gathered view after end",
                  p -> {
                    Step step = p.ranStep();
                    Matrix gathered = step.gathered();
                    step.close();
                    gathered.get(0, 0);
                  }),
              Map.entry(
                  "slice of a gathered view after end",
                  p -> {
                    Step step = p.ranStep();
                    Matrix row = step.gathered().rows(1, 2);
                    step.close();
                    row.toFloats();
                  }),
              Map.entry(
                  "gathered before run",
                  p -> {
                    try (Step step = p.gather.begin(RowCounts.known(2))) {
                      try {
                        step.gathered();
                      } finally {
                        p.run(step);
                      }
                    }
                  }),
              Map.entry(
                  "gathered that was not asked for",
                  p -> {
                    Matrix b = Exact.matrix(DType.F32, 3, 2, 1, p.arena);
                    try (PackedWeights w = p.world.pack(b, WeightLayout.IN_OUT);
                        AllGatherMatmul product = AllGatherMatmul.on(p.space).output(w).build();
                        Step step = product.begin(RowCounts.known(1))) {
                      step.run(Matrix.allocate(DType.F32, 1, 2, p.arena));
                      step.gathered();
                    }
                  }),
              Map.entry(
                  "raw memory after the workspace closed",
                  p -> {
                    Step step = p.ranStep();
                    MemorySegment raw = step.gathered().memory();
                    step.close();
                    p.gather.close();
                    p.space.close();
                    raw.get(ValueLayout.JAVA_FLOAT, 0);
                  }),
              Map.entry(
                  "begin after the operator closed",
                  p -> {
                    p.gather.close();
                    p.gather.begin(RowCounts.mine(1));
                  }),
              Map.entry(
                  "begin after the workspace closed",
                  p -> {
                    p.space.close();
                    p.gather.begin(RowCounts.mine(1));
                  }),
              Map.entry(
                  "build after the workspace closed",
                  p -> {
                    p.space.close();
                    AllGather.on(p.space).build();
                  }),
              Map.entry(
                  "begin while a step is open",
                  p -> {
                    try (Step step = p.ranStep()) {
                      p.gather.begin(RowCounts.mine(step.rows()));
                    }
                  }),
              Map.entry(
                  "closing a workspace with an open step",
                  p -> {
                    try (Step step = p.ranStep()) {
                      p.space.close();
                      step.rows();
                    }
                  }),
              Map.entry(
                  "closing an operator with an open step",
                  p -> {
                    try (Step step = p.ranStep()) {
                      p.gather.close();
                      step.rows();
                    }
                  }),
              Map.entry(
                  "building on closed weights",
                  p -> {
                    Matrix b = Exact.matrix(DType.F32, 3, 2, 1, p.arena);
                    PackedWeights w = p.world.pack(b, WeightLayout.IN_OUT);
                    w.close();
                    w.use();
                  })));

  @TestFactory
  Stream<DynamicTest> wrongUseThrows() {
    List<Way> ways = new ArrayList<>();
    for (var storage : Storage.values()) {
      Tuning tuning = Tuning.DEFAULT.withStorage(storage);
      ways.add(Way.alongRows(tuning));
      ways.add(new Way(tuning, List.of(3L)));
    }
    return WRONG_USES.entrySet().stream()
        .flatMap(
            entry ->
                ways.stream()
                    .map(
                        way ->
                            DynamicTest.dynamicTest(
                                entry.getKey() + " " + way,
                                () ->
                                    assertThrows(
                                        IllegalStateException.class,
                                        () -> use(entry.getValue(), way)))));
  }

  private static void use(Use use, Way way) throws Exception {
    try (Arena arena = Arena.ofConfined();
        World world = World.single();
        Workspace space =
            Workspace.on(world.group()).rows(4).columns(3).tuning(way.tuning()).open();
        AllGather gather = way.on(AllGather.on(space), 3).build()) {
      use.by(new Parts(world, space, gather, arena));
    }
  }

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  @Test
  void aConcurrentRunThrows() throws InterruptedException {
    CountDownLatch inKernel = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Config config =
        Config.builder()
            .kernel(
                new StallingKernel(
                    () -> {
                      inKernel.countDown();
                      await(mayGoOn);
                    }))
            .build();
    try (Arena arena = Arena.ofShared();
        World world = World.single(config);
        Workspace space = Workspace.on(world.group()).rows(4).columns(3).open()) {
      Matrix b = Exact.matrix(DType.F32, 3, 2, 1, arena);
      Matrix c = Matrix.allocate(DType.F32, 4, 2, arena);
      try (PackedWeights w = world.pack(b, WeightLayout.IN_OUT);
          AllGatherMatmul product = AllGatherMatmul.on(space).output(w).build();
          Step step = product.begin(RowCounts.mine(4))) {
        Exact.fill(step.input(), 3, 0);
        RunHandle handle = step.start(c);
        inKernel.await();
        assertThrows(IllegalStateException.class, () -> step.run(c));
        assertThrows(IllegalStateException.class, () -> product.begin(RowCounts.mine(4)));
        assertThrows(IllegalStateException.class, product::close);
        assertThrows(IllegalStateException.class, space::close);
        assertEquals(false, handle.isDone());
        mayGoOn.countDown();
        handle.await();
        Exact.checkProduct(c, 3, 1, 3);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Operators that were not closed let go of their weights with their workspace. */
  @Test
  void aWorkspaceClosesItsOperators() {
    StallingKernel kernel = new StallingKernel(() -> {});
    try (Arena arena = Arena.ofShared();
        World world = World.single(Config.builder().kernel(kernel).build())) {
      Matrix b = Exact.matrix(DType.F32, 3, 2, 1, arena);
      Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
      AllGatherMatmul first;
      AllGatherMatmul second;
      MatmulAllReduce sum;
      try (PackedWeights w = world.pack(b, WeightLayout.IN_OUT)) {
        first = AllGatherMatmul.on(space).output(w).build();
        second = AllGatherMatmul.on(space).output(w).build();
        sum = MatmulAllReduce.on(space).weights(w).build();
      }
      first.close();
      assertEquals(1, kernel.live());
      space.close();
      assertEquals(0, kernel.live());
      second.close();
      sum.close();
    }
  }

  /** A rejected second run does not redirect the outputs of the first. */
  @Test
  void aRejectedRunChangesNothing() throws InterruptedException {
    CountDownLatch inKernel = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    StallingKernel kernel =
        new StallingKernel(
            () -> {
              inKernel.countDown();
              await(mayGoOn);
            });
    try (Arena arena = Arena.ofShared();
        World world = World.single(Config.builder().kernel(kernel).build());
        Workspace space = Workspace.on(world.group()).rows(4).columns(3).open()) {
      Matrix b = Exact.matrix(DType.F32, 3, 2, 1, arena);
      Matrix[] first = {
        Matrix.allocate(DType.F32, 4, 2, arena), Matrix.allocate(DType.F32, 4, 2, arena)
      };
      Matrix[] second = {
        Matrix.allocate(DType.F32, 4, 2, arena), Matrix.allocate(DType.F32, 4, 2, arena)
      };
      try (PackedWeights w = world.pack(b, WeightLayout.IN_OUT);
          AllGatherMatmul product = AllGatherMatmul.on(space).output(w).output(w).build();
          Step step = product.begin(RowCounts.mine(4))) {
        Exact.fill(step.input(), 3, 0);
        RunHandle handle = step.start(first);
        inKernel.await();
        assertThrows(IllegalStateException.class, () -> step.run(second));
        mayGoOn.countDown();
        handle.await();
        Exact.checkProduct(first[0], 3, 1, 3);
        Exact.checkProduct(first[1], 3, 1, 3);
      }
    }
  }

  /** The failure of a run that nobody waited for is thrown when the step is closed. */
  @Test
  void aFailureInTheBackgroundIsNotLost() {
    Config config = Config.builder().deadline(Duration.ofMillis(100)).build();
    Throwable[] thrown = new Throwable[2];
    LocalWorld.of(2)
        .config(config)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
                  AllGather gather = AllGather.on(space).build()) {
                if (world.rank() == 0) {
                  try (Step step = gather.begin(RowCounts.known(1, 1))) {
                    step.start();
                  }
                }
              } catch (GemmflowException e) {
                thrown[world.rank()] = e;
              }
            });
    assertInstanceOf(GemmflowException.class, thrown[0]);
  }

  @Test
  void aThreadLeftInABroadcastIsReleasedWhenTheWorldCloses() {
    CountDownLatch released = new CountDownLatch(1);
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.group();
              if (world.rank() == 1) {
                released.await();
                return;
              }
              Throwable[] thrown = new Throwable[1];
              Thread waiting =
                  Thread.ofPlatform()
                      .start(
                          () -> {
                            try {
                              group.broadcast(1, null);
                            } catch (GemmflowException e) {
                              thrown[0] = e;
                            }
                          });
              while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              world.close();
              waiting.join(10_000);
              released.countDown();
              assertInstanceOf(GemmflowException.class, thrown[0]);
            });
  }

  /** Nobody waits for a rank that has left in good order. */
  @Test
  void aRankThatLeftIsNotWaitedFor() {
    Throwable[] thrown = new Throwable[1];
    LocalWorld.of(2)
        .run(
            world -> {
              Group group = world.group();
              if (world.rank() == 0) {
                try {
                  group.broadcast(1, null);
                } catch (GemmflowException e) {
                  thrown[0] = e;
                }
              }
            });
    String message = String.valueOf(assertInstanceOf(GemmflowException.class, thrown[0]));
    assertTrue(message.contains("rank 1 has left the job"), message);
  }

  /** Who closes its world alone says so in time; ranks that are processes end the job then. */
  @Test
  void aWorldThatNobodyElseClosesIsClosedInTime() {
    CountDownLatch closed = new CountDownLatch(1);
    LocalWorld worlds =
        LocalWorld.of(2)
            .config(Config.builder().setupDeadline(Duration.ofMillis(500)).build())
            .decorate(ClosesTogether::new);
    Throwable[] thrown = new Throwable[1];
    try {
      worlds.run(
          world -> {
            if (world.rank() == 1) {
              thrown[0] = assertThrows(DeadlineException.class, world::close);
              closed.countDown();
            } else {
              assertTrue(closed.await(20, TimeUnit.SECONDS), "rank 1 does not give up");
            }
          });
    } catch (BrokenException e) {
      // Rank 0 may learn of it only when it closes its world, too.
    }
    assertTrue(String.valueOf(thrown[0]).contains("in closing the world"), thrown[0]::toString);
  }

  private static final class ClosesTogether extends ForwardingEngine {
    ClosesTogether(Engine engine) {
      super(engine);
    }

    @Override
    public boolean closesTogether() {
      return true;
    }
  }

  @Test
  void anInterruptedThreadCanStillClose() {
    LocalWorld.onHosts(0, 1)
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
              AllGather gather = AllGather.on(space).build();
              try (Step step = gather.begin(RowCounts.known(1, 2))) {
                step.run();
              }
              Thread.currentThread().interrupt();
              space.close();
              assertEquals(true, Thread.interrupted());
            });
  }

  /** Whether the step is waiting for its thread, running or over, many times. */
  @ParameterizedTest
  @EnumSource(Storage.class)
  void aWorldClosesWhileAStepRunsInTheBackground(Storage storage) {
    Tuning tuning = Tuning.DEFAULT.withStorage(storage).withChunkRows(1);
    for (int i = 0; i < 50; i++) {
      closeWhileAStepRuns(tuning);
      Leftovers.assertNone();
    }
  }

  private static void closeWhileAStepRuns(Tuning tuning) {
    CountDownLatch built = new CountDownLatch(3);
    try (Arena arena = Arena.ofShared()) {
      Matrix all = Matrix.allocate(DType.F32, 4, 3, arena);
      LocalWorld.onHosts(0, 0, 1)
          .run(
              world -> {
                Workspace space =
                    Workspace.on(world.group()).rows(4).columns(3).tuning(tuning).open();
                AllGather gather = AllGather.on(space).build();
                built.countDown();
                if (world.rank() == 0) {
                  // Whoever still builds would rightly hear that the job was aborted.
                  await(built);
                  gather.begin(RowCounts.known(2, 1, 1)).start(all);
                }
              });
    }
  }

  /** A rank that fails before it joins leaves no file of those that wait for it. */
  @Test
  void aFailedJoinLeavesNothing() {
    assertThrows(
        IllegalStateException.class,
        () ->
            LocalWorld.of(3)
                .decorate(
                    engine -> {
                      if (engine.rank() == 1) {
                        throw new IllegalStateException("no engine here");
                      }
                      return engine;
                    })
                .run(World::group));
    Config nowhere = Config.builder().windowDirectory(Path.of("/no/such/place")).build();
    UncheckedIOException e =
        assertThrows(
            UncheckedIOException.class,
            () ->
                LocalWorld.of(3)
                    .config(rank -> rank == 1 ? nowhere : Config.load())
                    .run(World::group));
    assertTrue(e.toString().contains("directory /no/such/place for shared memory"), e::toString);
  }

  /** Memory that somebody still uses is not freed, and nobody else notices. */
  @Test
  void anInputInUseByAChannelDoesNotStopTheNextSteps() throws Exception {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED);
    Pipe pipe = Pipe.open();
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(100).columns(3).tuning(streamed).open();
        AllGather gather = AllGather.on(space).build()) {
      Thread[] reader = new Thread[1];
      for (int i = 0; i < 4; i++) {
        long rows = 2 + 20L * i;
        try (Step step = gather.begin(RowCounts.mine(rows))) {
          Matrix input = step.input();
          Matrix all = Matrix.allocate(DType.F32, rows, 3, arena);
          Exact.fill(input, i, 0);
          if (i == 0) {
            reader[0] = startReading(pipe, input.memory().asByteBuffer());
          }
          step.run(all);
          if (i > 0) {
            Exact.check(all, i);
          }
        }
      }
      pipe.sink().write(ByteBuffer.allocate(4));
      reader[0].join(10_000);
      assertEquals(false, reader[0].isAlive());
    } finally {
      pipe.sink().close();
      pipe.source().close();
    }
  }

  /** Returns when the thread is in the system call, where it holds the memory. */
  private static Thread startReading(Pipe pipe, ByteBuffer target) {
    Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    pipe.source().read(target);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    while (reader.isAlive()
        && Stream.of(reader.getStackTrace()).noneMatch(frame -> frame.isNativeMethod())) {
      Thread.onSpinWait();
    }
    return reader;
  }

  @Test
  void gatheredRowsCannotBeWritten() {
    try (World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
        AllGather gather = AllGather.on(space).build();
        Step step = gather.begin(RowCounts.mine(2))) {
      Exact.fill(step.input(), 9, 0);
      step.run();
      assertThrows(IllegalArgumentException.class, () -> step.gathered().set(0, 0, 1));
      Exact.check(step.gathered(), 9);
    }
  }

  /**
   * What is wrong with the arguments is said before anything happens, and the step can still run.
   */
  @Test
  void badArgumentsLeaveTheStepUsable() {
    try (Arena arena = Arena.ofConfined();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
        AllGather gather = AllGather.on(space).build()) {
      assertThrows(IllegalArgumentException.class, () -> gather.begin(RowCounts.mine(5)));
      assertThrows(IllegalArgumentException.class, () -> gather.begin(RowCounts.mine(-1)));
      assertThrows(IllegalArgumentException.class, () -> gather.begin(RowCounts.known(5)));
      assertThrows(IllegalArgumentException.class, () -> gather.begin(RowCounts.known(1, 1)));
      try (Step step = gather.begin(RowCounts.mine(2))) {
        Exact.fill(step.input(), 9, 0);
        Matrix tooSmall = Matrix.allocate(DType.F32, 1, 3, arena);
        assertThrows(IllegalArgumentException.class, () -> step.run(tooSmall));
        Matrix wrongType = Matrix.allocate(DType.BF16, 2, 3, arena);
        assertThrows(IllegalArgumentException.class, () -> step.run(wrongType));
        step.run();
        Exact.check(step.gathered(), 9);
      }
      assertEquals(1, gather.steps());
    }
  }

  /** Row counts that together are too many are found by all ranks, and the group goes on. */
  @Test
  void tooManyRowsInAllLeaveTheGroupWhole() {
    LocalWorld.onHosts(0, 0, 1)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(4).columns(3).open();
                  AllGather gather = AllGather.on(space).build()) {
                for (int i = 0; i < 5; i++) {
                  assertThrows(
                      IllegalArgumentException.class, () -> gather.begin(RowCounts.mine(2)));
                  try (Step step = gather.begin(RowCounts.mine(1))) {
                    Exact.fill(step.input(), i, step.firstRow());
                    step.run();
                    Exact.check(step.gathered(), i);
                  }
                }
              }
            });
  }
}
