// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.kit.StallingKernel;
import io.github.gemmflow.kit.Way;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody waits for ever, nobody computes with rows that did not arrive, and nobody cries wolf. */
@ExtendWith(Pauses.class)
class DeadlineTest {
  private static final Duration DEADLINE = Duration.ofMillis(500);
  private static final Duration LATEST = DEADLINE.plusSeconds(1);

  /** Where nobody is lost: longer than a machine that others use, too, stands still. */
  private static final Duration FAR = Duration.ofMillis(1500);

  private static final int MAX_ROWS = 24;
  private static final int STEPS = 120;
  private static final int K = 5;
  private static final int N = 4;

  /** Where in a step the rank is lost. */
  private enum Place {
    BEFORE_BEGIN,
    BEFORE_RUN,
    IN_KERNEL,
    BEFORE_END,
    IN_ENGINE
  }

  @Test
  void aLostRankIsNamedInTime() {
    Cases.run(
        getClass(), Cases.shortOrSoak(8, 15), seed -> Pauses.retry(() -> new Trial(seed).run()));
  }

  /** One world with one rank that is lost at one random point. */
  private static final class Trial {
    private final Draw draw;
    private final int ranks;
    private final int[] hosts;
    private final int lost;
    private final Place place;
    private final int lostStep;
    private final long lostTransfer;
    private final Chaos chaos;
    private final CountDownLatch survivors;
    private final ThreadLocal<Integer> atStep = ThreadLocal.withInitial(() -> -1);
    private final ThreadLocal<Integer> myRank = ThreadLocal.withInitial(() -> -1);
    private final AtomicInteger named = new AtomicInteger();

    Trial(long seed) {
      draw = new Draw(seed);
      ranks = 2 + draw.below(5);
      int[] drawn = draw.hosts(ranks);
      place = draw.oneOf(java.util.List.of(Place.values()));
      if (place == Place.IN_ENGINE) {
        drawn[0] = 0;
        drawn[ranks - 1] = 1;
      }
      hosts = drawn;
      lost = draw.below(ranks);
      lostStep = draw.below(20);
      lostTransfer = draw.below(100);
      chaos = Chaos.delays(seed);
      survivors = new CountDownLatch(ranks - 1);
    }

    void run() throws InterruptedException {
      Config config =
          Config.builder()
              .deadline(DEADLINE)
              .productDeadline(DEADLINE)
              .setupDeadline(Duration.ofSeconds(20))
              .kernel(new StallingKernel(() -> maybeLose(Place.IN_KERNEL)))
              .build();
      LocalWorld world =
          LocalWorld.onHosts(hosts)
              .config(config)
              .decorate(
                  engine ->
                      place == Place.IN_ENGINE && engine.rank() == lost
                          ? new ChaosEngine(engine, chaos.lostAfter(lostTransfer))
                          : engine);
      world.run(this::rank);
      assertTrue(
          named.get() == ranks - 1,
          () -> "%s: %d of %d survivors threw".formatted(this, named.get(), ranks - 1));
      Leftovers.assertNone();
    }

    private void rank(World world) {
      myRank.set(world.rank());
      long[] progressAt = {Pauses.clock()};
      try {
        steps(world, progressAt);
        assertTrue(world.rank() == lost, () -> this + ": rank " + world.rank() + " saw nothing");
      } catch (GemmflowException e) {
        if (world.rank() != lost) {
          long late = Pauses.clock() - progressAt[0];
          assertTrue(
              late < LATEST.toNanos(),
              () -> "%s: rank %d threw %d ms late".formatted(this, world.rank(), late / 1_000_000));
          String message = String.valueOf(e.getMessage());
          assertTrue(
              message.contains("rank " + lost) && message.contains("rows "),
              () -> "%s: rank %d: %s".formatted(this, world.rank(), message));
          named.incrementAndGet();
        }
      } finally {
        if (world.rank() != lost) {
          survivors.countDown();
        }
      }
      if (world.rank() == lost) {
        await(survivors);
      }
    }

    private void steps(World world, long[] progressAt) {
      Draw shared = new Draw(lostTransfer * 1000 + lostStep);
      Group group = world.group();
      Tuning room = shared.room(4);
      Tuning tuning = shared.tuning(4, room);
      Way way = Way.draw(shared, group.size(), K, tuning);
      try (Arena arena = Arena.ofShared();
          Workspace space = Workspace.on(group).rows(MAX_ROWS + 1).columns(K).tuning(room).open()) {
        Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
        Matrix c = Matrix.allocate(DType.F32, MAX_ROWS + 1, N, arena);
        Tuning ofSums = shared.sumTuning(4);
        try (var weights = world.pack(b, WeightLayout.IN_OUT);
            var operator = way.on(AllGatherMatmul.on(space).output(weights)).build();
            var sum = MatmulReduceScatter.on(space).weights(weights).tuning(ofSums).build();
            var forAll = MatmulAllReduce.on(space).weights(weights).tuning(ofSums).build()) {
          for (int i = 0; i < STEPS; i++) {
            atStep.set(i);
            long[] rows = shared.rows(group.size(), MAX_ROWS);
            rows[shared.below(group.size())] = 1;
            maybeLose(Place.BEFORE_BEGIN);
            if (shared.chance(0.5)) {
              sumUp(shared.chance(0.6) ? sum : forAll, rows, arena);
              progressAt[0] = Pauses.clock();
              continue;
            }
            try (Step step = way.begin(operator, rows)) {
              way.fill(step, i, group.rank());
              maybeLose(Place.BEFORE_RUN);
              Matrix target = c.fill(Float.NaN).rows(0, step.rows());
              step.run(target);
              Exact.checkProduct(target, i, 7, K);
              maybeLose(Place.BEFORE_END);
            }
            progressAt[0] = Pauses.clock();
          }
        }
      }
    }

    private void sumUp(Operator operator, long[] rows, Arena arena) {
      long total = Arrays.stream(rows).sum();
      Matrix a = Matrix.allocate(DType.F32, total, K, arena).fill(1);
      Matrix c = Matrix.allocate(DType.F32, total, N, arena);
      if (operator instanceof MatmulReduceScatter) {
        operator.run(RowCounts.known(rows), a, c.rows(0, rows[myRank.get()]));
      } else {
        operator.run(a, c);
      }
    }

    private void maybeLose(Place here) {
      if (place == here && myRank.get() == lost && atStep.get() >= lostStep) {
        await(survivors);
      }
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String toString() {
      return "%d ranks on hosts %s, rank %d lost %s, step %d, transfer %d"
          .formatted(ranks, java.util.Arrays.toString(hosts), lost, place, lostStep, lostTransfer);
    }
  }

  @Test
  void aSlowRankIsNotLate() {
    Duration deadline = FAR;
    Config config = Config.builder().deadline(deadline).build();
    LocalWorld.onHosts(0, 0, 1)
        .config(config)
        .run(
            world -> {
              try (Workspace space =
                      Workspace.on(world.group())
                          .rows(MAX_ROWS)
                          .columns(K)
                          .type(DType.BF16)
                          .open();
                  AllGather gather = AllGather.on(space).build()) {
                for (int i = 0; i < Cases.shortOrSoak(4, 8); i++) {
                  if (world.rank() == i % world.size()) {
                    LockSupport.parkNanos(deadline.toNanos() / 2);
                  }
                  try (Step step = gather.begin(RowCounts.known(3, 0, 5))) {
                    Exact.fill(step.input(), i, step.firstRow());
                    step.run();
                    Exact.check(step.gathered(), i);
                  }
                }
              }
            });
  }

  /**
   * A neighbour whose step takes longer than the deadline, though none of its products does, is not
   * lost for a rank that waits for it to begin the next step, or for its rows.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWorkingNeighbourIsNotLost(boolean knowsRows) {
    Duration deadline = FAR;
    Config slow =
        Config.builder()
            .deadline(deadline)
            .kernel(new StallingKernel(() -> LockSupport.parkNanos(deadline.toNanos() / 2)))
            .build();
    Config fast = Config.builder().deadline(deadline).build();
    LocalWorld.of(2)
        .config(rank -> rank == 1 ? slow : fast)
        .run(world -> manyProducts(world, world.rank() == 1 ? 3 : 1, knowsRows));
  }

  private static void manyProducts(World world, int weightsCount, boolean knowsRows) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(2).columns(K).open();
        PackedWeights b =
            world.pack(Exact.matrix(DType.F32, K, N, 7, arena), WeightLayout.IN_OUT)) {
      AllGatherMatmul.Builder builder = AllGatherMatmul.on(space);
      Matrix[] outputs = new Matrix[weightsCount];
      for (int i = 0; i < weightsCount; i++) {
        builder.output(b);
        outputs[i] = Matrix.allocate(DType.F32, 2, N, arena);
      }
      try (AllGatherMatmul product = builder.build()) {
        for (int i = 0; i < 3; i++) {
          try (Step step = product.begin(knowsRows ? RowCounts.known(1, 1) : RowCounts.mine(1))) {
            Exact.fill(step.input(), i, step.firstRow());
            step.run(outputs);
            Exact.checkProduct(outputs[weightsCount - 1], i, 7, K);
          }
        }
      }
    }
  }

  /** Inside one product a neighbour gives no sign of life; it has ten deadlines. */
  @Test
  void aNeighbourInsideOneProductIsNotLost() {
    Duration deadline = Duration.ofMillis(800);
    Config slow =
        Config.builder()
            .deadline(deadline)
            .kernel(new StallingKernel(() -> LockSupport.parkNanos(deadline.toNanos() * 2)))
            .build();
    Config fast = Config.builder().deadline(deadline).build();
    LocalWorld.of(2)
        .config(rank -> rank == 1 ? slow : fast)
        .run(world -> manyProducts(world, 1, false));
  }

  /** Longer than that no product may take. */
  @Test
  void aNeighbourThatStaysInsideAProductIsNamed() {
    Duration deadline = Duration.ofMillis(300);
    CountDownLatch named = new CountDownLatch(1);
    Config.Builder config = Config.builder().deadline(deadline).productDeadline(DEADLINE);
    Config stuck = config.kernel(new StallingKernel(() -> Trial.await(named))).build();
    Config fast = config.kernel(null).build();
    Throwable[] thrown = new Throwable[2];
    long[] millis = new long[1];
    long[] realMillis = new long[1];
    LocalWorld.of(2)
        .config(rank -> rank == 1 ? stuck : fast)
        .run(
            world -> {
              long start = Pauses.clock();
              long realStart = System.nanoTime();
              try {
                manyProducts(world, 1, true);
              } catch (GemmflowException e) {
                thrown[world.rank()] = e;
                if (world.rank() == 0) {
                  millis[0] = (Pauses.clock() - start) / 1_000_000;
                  realMillis[0] = (System.nanoTime() - realStart) / 1_000_000;
                }
              } finally {
                if (world.rank() == 0) {
                  named.countDown();
                }
              }
            });
    String message = String.valueOf(assertInstanceOf(GemmflowException.class, thrown[0]));
    assertTrue(message.contains("rank 1"), message);
    assertTrue(
        realMillis[0] >= DEADLINE.toMillis() && millis[0] < LATEST.toMillis(), millis[0] + " ms");
  }

  /** A rank that multiplies for longer than the deadline is not waiting. */
  @ParameterizedTest
  @EnumSource(Storage.class)
  void aLongProductIsNotAWait(Storage storage) {
    Duration deadline = FAR;
    CountDownLatch rankZeroIsDone = new CountDownLatch(1);
    Config slow =
        Config.builder()
            .deadline(deadline)
            .kernel(
                new StallingKernel(
                    () -> {
                      LockSupport.parkNanos(deadline.toNanos() * 3 / 2);
                      rankZeroIsDone.countDown();
                    }))
            .build();
    Config fast = Config.builder().deadline(deadline).build();
    LocalWorld.onHosts(0, 1)
        .config(rank -> rank == 0 ? slow : fast)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group())
                          .rows(MAX_ROWS)
                          .columns(K)
                          .tuning(Tuning.DEFAULT.withStorage(storage))
                          .open()) {
                Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
                Matrix c = Matrix.allocate(DType.F32, 2, N, arena);
                try (var weights = world.pack(b, WeightLayout.IN_OUT);
                    var product = AllGatherMatmul.on(space).output(weights).build()) {
                  if (world.rank() == 1) {
                    // The other has been busy for longer than the deadline, and now waits for less.
                    rankZeroIsDone.await();
                    LockSupport.parkNanos(deadline.toNanos() / 2);
                  }
                  try (Step step = product.begin(RowCounts.known(1, 1))) {
                    Exact.fill(step.input(), 1, step.firstRow());
                    step.run(c);
                    Exact.checkProduct(c, 1, 7, K);
                  }
                }
              }
            });
  }

  /**
   * Rows that need longer than the deadline to leave, but do leave, are not late, nor is a reader.
   */
  @ParameterizedTest
  @EnumSource(Storage.class)
  void whatMovesIsNotLate(Storage storage) {
    Duration deadline = Duration.ofMillis(400);
    Config config =
        Config.builder()
            .deadline(deadline)
            .tuning(Tuning.DEFAULT.withStorage(storage).withChunkRows(1).withInFlight(1))
            .kernel(new StallingKernel(() -> LockSupport.parkNanos(deadline.toNanos() / 3)))
            .build();
    Chaos slow = Chaos.none(1).delayedBy(Duration.ofMillis(150), 0);
    LocalWorld.onHosts(0, 0, 1)
        .config(config)
        .decorate(engine -> engine.rank() == 0 ? new ChaosEngine(engine, slow) : engine)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(MAX_ROWS).columns(K).open()) {
                Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
                Matrix c = Matrix.allocate(DType.F32, MAX_ROWS, N, arena);
                try (var weights = world.pack(b, WeightLayout.IN_OUT);
                    var product = AllGatherMatmul.on(space).output(weights).build()) {
                  for (int i = 0; i < Cases.shortOrSoak(1, 3); i++) {
                    try (Step step = product.begin(RowCounts.known(20, 0, 0))) {
                      Exact.fill(step.input(), i, step.firstRow());
                      Matrix target = c.rows(0, step.rows());
                      step.run(target);
                      Exact.checkProduct(target, i, 7, K);
                    }
                  }
                }
              }
            });
  }

  /** A neighbour that has enough to do with its own rows is no reason to wait for a lost rank. */
  @ParameterizedTest
  @EnumSource(Storage.class)
  void aBusyNeighbourDoesNotPutTheDeadlineOff(Storage storage) {
    Config busy =
        Config.builder()
            .deadline(DEADLINE)
            .kernel(new StallingKernel(() -> LockSupport.parkNanos(DEADLINE.toNanos() / 5)))
            .build();
    Config idle = Config.builder().deadline(DEADLINE).build();
    // Enough slots that the busy rank's rows are all there at once.
    Tuning tuning = Tuning.DEFAULT.withStorage(storage).withChunkRows(1).withSlots(60);
    CountDownLatch survivors = new CountDownLatch(2);
    Throwable[] thrown = new Throwable[3];
    LocalWorld.onHosts(0, 0, 1)
        .config(rank -> rank == 0 ? busy : idle)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group()).rows(100).columns(K).tuning(tuning).open()) {
                Matrix b = Exact.matrix(DType.F32, K, N, 7, arena);
                Matrix c = Matrix.allocate(DType.F32, 62, N, arena);
                try (var weights = world.pack(b, WeightLayout.IN_OUT);
                    var product = AllGatherMatmul.on(space).output(weights).build()) {
                  if (world.rank() == 2) {
                    Trial.await(survivors);
                    return;
                  }
                  long start = Pauses.clock();
                  try (Step step = product.begin(RowCounts.known(60, 0, 2))) {
                    step.run(c);
                  } catch (GemmflowException e) {
                    thrown[world.rank()] = e;
                    long late = Pauses.clock() - start;
                    assertTrue(
                        world.rank() == 0 || late < LATEST.toNanos(),
                        () -> "after %d ms".formatted(late / 1_000_000));
                  } finally {
                    survivors.countDown();
                  }
                }
              }
            });
    String message = String.valueOf(assertInstanceOf(GemmflowException.class, thrown[1]));
    assertTrue(message.contains("rows 60-61 of rank 2"), message);
  }

  /** Rank 1 does not come back from its consumer, and rank 0 waits for nothing but its room. */
  @Test
  void aRankThatWaitsForRoomInVainBeginsNoStep() {
    CountDownLatch gaveUp = new CountDownLatch(1);
    LocalWorld.onHosts(0, 0)
        .config(Config.builder().deadline(DEADLINE).productDeadline(DEADLINE).build())
        .run(
            world -> {
              Workspace space = Workspace.on(world.group()).rows(MAX_ROWS).columns(K).open();
              AllGather gather = AllGather.on(space).build();
              RowCounts counts = RowCounts.known(3, 0);
              if (world.rank() == 1) {
                assertThrows(
                    GemmflowException.class,
                    () -> {
                      try (Step step = gather.begin(counts)) {
                        step.run((first, end, rows, thread) -> Trial.await(gaveUp));
                      }
                      space.close();
                    });
                return;
              }
              for (int i = 0; i < 2; i++) {
                try (Step step = gather.begin(counts)) {
                  step.input().fill(i);
                  step.run();
                }
              }
              try {
                assertThrows(DeadlineException.class, () -> gather.begin(counts));
              } finally {
                gaveUp.countDown();
              }
            });
  }

  @Test
  void anIdleGroupIsNotLate() {
    Config config = Config.builder().deadline(FAR).build();
    byte[] work = {1, 2, 3};
    LocalWorld.onHosts(0, 0, 1)
        .config(config)
        .run(
            world -> {
              Group group = world.group();
              if (group.rank() == 0) {
                LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
              }
              assertArrayEquals(work, group.broadcast(0, group.rank() == 0 ? work : null));
              try (Workspace space =
                      Workspace.on(group).rows(MAX_ROWS).columns(K).type(DType.BF16).open();
                  AllGather gather = AllGather.on(space).build();
                  Step step = gather.begin(RowCounts.mine(2))) {
                Exact.fill(step.input(), 1, step.firstRow());
                step.run();
                Exact.check(step.gathered(), 1);
              }
            });
  }

  @Test
  void aRankThatLeavesAStepUnrunTakesItsHostAlongAtOnce() {
    Config config = Config.builder().deadline(Duration.ofSeconds(20)).build();
    long start = Pauses.clock();
    Throwable[] thrown = new Throwable[3];
    LocalWorld.of(3)
        .config(config)
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(MAX_ROWS).columns(K).open();
                  AllGather gather = AllGather.on(space).build();
                  Step step = gather.begin(RowCounts.known(1, 1, 1))) {
                if (world.rank() != 1) {
                  step.run();
                }
              } catch (GemmflowException e) {
                thrown[world.rank()] = e;
              }
            });
    for (int rank : new int[] {0, 2}) {
      Throwable e = assertInstanceOf(GemmflowException.class, thrown[rank]);
      assertTrue(e.toString().contains("rank 1 ended step 0 without running it"), e::toString);
    }
    assertTrue(Pauses.clock() - start < 5_000_000_000L, "it took a deadline");
  }
}
