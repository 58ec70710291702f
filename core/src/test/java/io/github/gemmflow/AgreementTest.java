// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.setup.Agreement;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All ranks agree before data moves, or all fail with the field and both values. */
class AgreementTest {
  private static final int RANKS = 3;
  private static final int ODD = 2;

  /** What a rank wants; the odd rank wants one thing differently. */
  private record Wishes(
      long maxRows, long maxColumns, DType type, Duration deadline, long columns, Tuning tuning) {
    static final Wishes SAME =
        new Wishes(10, 8, DType.F32, Duration.ofSeconds(9), 5, Tuning.DEFAULT.withChunkRows(3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rows: rank 0 has 10, rank 2 has 11",
        "columns: rank 0 has 8, rank 2 has 9",
        "type: rank 0 has F32, rank 2 has BF16",
        "deadline: rank 0 has PT9S, rank 2 has PT8S",
        "columns of A: rank 0 has 5, rank 2 has 4",
        "schedule: rank 0 has automatic, rank 2 has ring",
        "chunks: rank 0 has 3 rows, rank 2 has automatic",
      })
  void eachSharedFieldIsCompared(String expected) {
    Wishes same = Wishes.SAME;
    String field = expected.substring(0, expected.indexOf(':'));
    Wishes odd =
        new Wishes(
            field.equals("rows") ? 11 : same.maxRows,
            field.equals("columns") ? 9 : same.maxColumns,
            field.equals("type") ? DType.BF16 : same.type,
            field.equals("deadline") ? Duration.ofSeconds(8) : same.deadline,
            field.equals("columns of A") ? 4 : same.columns,
            field.equals("schedule")
                ? same.tuning.withSchedule(Schedule.RING)
                : field.equals("chunks") ? same.tuning.withChunkRows(0) : same.tuning);
    Throwable[] thrown =
        runAll(
            rank -> Config.builder().deadline(rank == ODD ? odd.deadline : same.deadline).build(),
            world -> {
              Wishes mine = world.rank() == ODD ? odd : same;
              try (Workspace space =
                      Workspace.on(world.group())
                          .rows(mine.maxRows)
                          .columns(mine.maxColumns)
                          .type(mine.type)
                          .open();
                  AllGather gather =
                      AllGather.on(space).columns(mine.columns).tuning(mine.tuning).build()) {
                assertEquals(0, gather.steps(), "nobody gets here");
              }
            });
    for (Throwable e : thrown) {
      String message = assertInstanceOf(DisagreementException.class, e).toString();
      assertTrue(message.endsWith("do not agree on " + expected), message);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "storage: rank 0 has automatic, rank 2 has streamed",
        "chunks: rank 0 has automatic, rank 2 has 9 rows",
        "slots: rank 0 has 2, rank 2 has 3",
        "columns of each rank: rank 0 has 5 columns [2, 3, 0], rank 2 has 5 columns [2, 2, 1]",
      })
  void whatAWorkspaceHasRoomForIsCompared(String expected) {
    Tuning same = Tuning.DEFAULT;
    Tuning odd =
        switch (expected.substring(0, expected.indexOf(':'))) {
          case "storage" -> same.withStorage(Storage.STREAMED);
          case "chunks" -> same.withChunkRows(9);
          case "slots" -> same.withSlots(3);
          default -> same;
        };
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              boolean isOdd = world.rank() == ODD;
              try (Workspace space =
                      Workspace.on(world.group())
                          .rows(10)
                          .columns(5)
                          .tuning(isOdd ? odd : same)
                          .open();
                  AllGather gather =
                      AllGather.on(space).columnsPerRank(2, isOdd ? 2 : 3, isOdd ? 1 : 0).build()) {
                assertEquals(0, gather.steps(), "nobody gets here");
              }
            });
    for (Throwable e : thrown) {
      String message = assertInstanceOf(DisagreementException.class, e).toString();
      assertTrue(message.endsWith("do not agree on " + expected), message);
    }
  }

  /** A choice by rule depends on it: ranks on different paths would compute garbage. */
  @Test
  void whoWantsTheGatheredRowsIsComparedIfThePathIsByRule() {
    for (Storage storage : new Storage[] {null, Storage.GATHERED}) {
      Tuning tuning = Tuning.DEFAULT.withStorage(storage);
      Throwable[] thrown =
          runAll(
              rank -> Config.load(),
              world -> {
                try (Arena arena = Arena.ofConfined();
                    Workspace space =
                        Workspace.on(world.group()).rows(10).columns(5).tuning(tuning).open();
                    var weights =
                        world.pack(Matrix.allocate(DType.F32, 5, 2, arena), WeightLayout.IN_OUT)) {
                  var builder = AllGatherMatmul.on(space).output(weights);
                  (world.rank() == ODD ? builder.keepGathered() : builder).build().close();
                }
              });
      for (Throwable e : thrown) {
        String expected =
            "storage: rank 0 has automatic, rank 2 has automatic, with the gathered A kept";
        assertEquals(storage == null, String.valueOf(e).endsWith(expected), String.valueOf(e));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1,1", "1,1,-1", "2,2,2", "4611686018427387904,4611686018427387904,1"})
  void badColumnCountsAreRefusedOnAllRanks(String counts) {
    long[] columns =
        counts.isEmpty()
            ? new long[0]
            : Arrays.stream(counts.split(",")).mapToLong(Long::parseLong).toArray();
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(10).columns(5).open()) {
                AllGather.on(space).columnsPerRank(columns).build();
              }
            });
    for (Throwable e : thrown) {
      // Nobody disagrees: every rank asks for the same nonsense.
      assertInstanceOf(IllegalArgumentException.class, e);
      assertTrue(e.toString().contains("column"), e::toString);
    }
  }

  /** And the world goes on. */
  @Test
  void workspacesThatNoMemoryHoldsAreRefused() {
    World.local(
        2,
        world -> {
          for (long[] size : new long[][] {{-1, 3}, {3, -1}, {Long.MAX_VALUE / 2, 9}}) {
            IllegalArgumentException e =
                assertThrows(
                    IllegalArgumentException.class,
                    () -> Workspace.on(world.group()).rows(size[0]).columns(size[1]).open());
            assertTrue(e.toString().contains(size[0] + " x " + size[1]), e::toString);
          }
        });
  }

  @Test
  void differentVersionsAndCallsAreFound() {
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              Agreement agreement = world.group().agreement();
              agreement.reach("test", Map.of("version", "1." + world.rank()), () -> true);
            });
    for (Throwable e : thrown) {
      assertEquals(
          "test: the ranks do not agree on version: rank 0 has 1.0, rank 1 has 1.1",
          assertInstanceOf(DisagreementException.class, e).getMessage());
    }
    thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              Group group = world.group();
              if (world.rank() == ODD) {
                world.split(ReplicaGroups.ofSize(1));
              } else {
                world.split(ReplicaGroups.ofSize(group.size()));
              }
            });
    for (Throwable e : thrown) {
      String message = assertInstanceOf(DisagreementException.class, e).toString();
      assertTrue(message.contains("rank 0 has groups of 3 neighbors, rank 2 has"), message);
    }
  }

  @Test
  void aRankThatCannotGoOnStopsAllWithItsReason() {
    Throwable[] thrown =
        runAll(
            rank -> Config.builder().kernel(rank == ODD ? new FullKernel() : null).build(),
            world -> buildProduct(world, DType.F32));
    checkOneFailed(
        thrown, ODD, OutOfMemoryError.class, "failed: java.lang.OutOfMemoryError: pretended");
    thrown =
        runAll(
            rank -> Config.load(),
            world -> buildProduct(world, world.rank() == ODD ? DType.F16 : DType.F32));
    checkOneFailed(thrown, ODD, IllegalArgumentException.class, "failed: the workspace is for F32");
  }

  /** The rank at fault throws what is wrong with it; the others say which it is, and why. */
  private static void checkOneFailed(
      Throwable[] thrown, int failed, Class<? extends Throwable> type, String reason) {
    for (int rank = 0; rank < RANKS; rank++) {
      if (rank == failed) {
        assertInstanceOf(type, thrown[rank]);
      } else {
        String message = assertInstanceOf(DisagreementException.class, thrown[rank]).toString();
        assertTrue(message.contains("rank %d %s".formatted(failed, reason)), message);
      }
    }
  }

  @Test
  void tooLittleSharedMemoryIsSaidOnAllRanks() {
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> Workspace.on(world.group()).rows(1L << 40).columns(1 << 10).open().close());
    checkOneFailed(thrown, 0, RuntimeException.class, "failed: cannot allocate");
    for (Throwable e : thrown) {
      assertTrue(e.toString().contains("--shm-size"), e::toString);
    }
  }

  private static void buildProduct(World world, DType type) {
    try (Arena arena = Arena.ofConfined();
        Workspace space = Workspace.on(world.group()).rows(4).columns(4).open();
        PackedWeights weights =
            world.pack(Exact.matrix(type, 4, 4, 1, arena), WeightLayout.IN_OUT);
        AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build()) {
      assertEquals(0, product.steps(), "nobody gets here");
    }
  }

  /** After a failed build the group is whole, and nothing of the failed operator is left. */
  @Test
  void aGroupSurvivesADisagreement() {
    World.local(
        RANKS,
        world -> {
          try (Workspace space = Workspace.on(world.group()).rows(10).columns(4).open()) {
            try {
              AllGather.on(space).columns(world.rank()).build();
              throw new AssertionError("it was built");
            } catch (DisagreementException expected) {
              // all ranks are here
            }
            try (AllGather gather = AllGather.on(space).columns(3).build();
                Step step = gather.begin(RowCounts.mine(world.rank()))) {
              Exact.fill(step.input(), 5, step.firstRow());
              step.run();
              Exact.check(step.gathered(), 5);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"0,0,0", "0,0,1", "0,1,2"})
  void differentOrderIsFoundInTheStep(String placement) {
    int[] hosts =
        java.util.Arrays.stream(placement.split(",")).mapToInt(Integer::parseInt).toArray();
    Throwable[] thrown = new Throwable[RANKS];
    LocalWorld.onHosts(hosts)
        .config(Config.builder().deadline(Duration.ofSeconds(20)).build())
        .run(
            world -> {
              try (Workspace space = Workspace.on(world.group()).rows(12).columns(4).open();
                  AllGather first = AllGather.on(space).columns(4).build();
                  AllGather second = AllGather.on(space).columns(2).build()) {
                AllGather mine = world.rank() == ODD ? second : first;
                try (Step step = mine.begin(RowCounts.known(4, 4, 4))) {
                  step.input().fill(1);
                  step.run();
                }
              } catch (RuntimeException e) {
                thrown[world.rank()] = e;
              }
            });
    for (Throwable e : thrown) {
      assertTrue(String.valueOf(e).contains("operator: rank"), () -> placement + ": " + e);
    }
  }

  @Test
  void aRankThatDoesNotCallIsNotWaitedForForEver() {
    CountDownLatch others = new CountDownLatch(RANKS - 1);
    Throwable[] thrown =
        runAll(
            rank -> Config.builder().setupDeadline(Duration.ofSeconds(3)).build(),
            world -> {
              Group group = world.group();
              if (world.rank() == ODD) {
                others.await();
                return;
              }
              try {
                Workspace.on(group).rows(1).columns(1).open();
              } finally {
                others.countDown();
              }
            });
    for (int rank = 0; rank < ODD; rank++) {
      String message = String.valueOf(thrown[rank]);
      assertTrue(message.contains("in opening a workspace; at least one of 3 ranks"), message);
    }
  }

  @Test
  void ranksThatDoDifferentThingsAreTold() {
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              Group group = world.group();
              if (world.rank() == ODD) {
                group.broadcast(ODD, new byte[1]);
              } else {
                Workspace.on(group).rows(1).columns(1).open();
              }
            });
    for (int rank = 0; rank < ODD; rank++) {
      assertEquals(
          "the ranks made different calls: rank %d is opening a workspace, rank 2 is in a broadcast from rank 2"
              .formatted(rank),
          assertInstanceOf(DisagreementException.class, thrown[rank]).getMessage());
    }
    assertInstanceOf(DisagreementException.class, thrown[ODD]);
  }

  @Test
  void broadcastsAreChecked() {
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              Group group = world.group();
              assertThrows(IllegalArgumentException.class, () -> group.broadcast(RANKS, null));
              assertThrows(IllegalArgumentException.class, () -> group.broadcast(-1, null));
              if (world.rank() == ODD) {
                assertThrows(IllegalArgumentException.class, () -> group.broadcast(ODD, null));
              }
              group.broadcast(world.rank(), new byte[] {5});
            });
    for (Throwable e : thrown) {
      assertInstanceOf(DisagreementException.class, e);
    }
  }

  @Test
  void allGathersGiveWhatEachRankGave() {
    LocalWorld.of(RANKS)
        .run(
            world -> {
              Group group = world.group();
              for (int round = 0; round < 20; round++) {
                byte[] mine = new byte[round * group.rank()];
                Arrays.fill(mine, (byte) (round + group.rank()));
                byte[][] all = group.allGather(mine);
                assertEquals(RANKS, all.length);
                for (int rank = 0; rank < RANKS; rank++) {
                  byte[] expected = new byte[round * rank];
                  Arrays.fill(expected, (byte) (round + rank));
                  assertArrayEquals(expected, all[rank]);
                }
                group.barrier();
              }
            });
  }

  /** Nobody leaves a barrier before everybody has come. */
  @Test
  void aBarrierWaitsForAll() {
    AtomicInteger here = new AtomicInteger();
    LocalWorld.of(RANKS)
        .run(
            world -> {
              for (int round = 1; round <= 50; round++) {
                here.incrementAndGet();
                world.group().barrier();
                assertEquals(round * RANKS, here.get());
                world.group().barrier();
              }
            });
  }

  @Test
  void ranksThatMeetElsewhereAreTold() {
    Throwable[] thrown =
        runAll(
            rank -> Config.load(),
            world -> {
              if (world.rank() == ODD) {
                world.group().allGather(new byte[1]);
              } else {
                world.group().barrier();
              }
            });
    assertEquals(
        "the ranks made different calls: rank 0 is in a barrier, rank 2 is in an all-gather of bytes",
        assertInstanceOf(DisagreementException.class, thrown[0]).getMessage());
    assertInstanceOf(DisagreementException.class, thrown[ODD]);
  }

  /** Ranks that were given different counts never return a result from misplaced rows. */
  @ParameterizedTest
  @ValueSource(strings = {"3,1,4", "2,2,4", "3,0,6", "0,2,4", "3,2,5"})
  void differentRowCountsAreFound(String wrong) {
    long[] right = {3, 2, 4};
    long[] other = java.util.Arrays.stream(wrong.split(",")).mapToLong(Long::parseLong).toArray();
    for (int odd = 0; odd < RANKS; odd++) {
      int oddRank = odd;
      int[] noticed = new int[RANKS];
      LocalWorld.onHosts(0, 0, 1)
          .config(Config.builder().deadline(Duration.ofSeconds(2)).build())
          .run(
              world -> {
                try (Workspace space = Workspace.on(world.group()).rows(20).columns(4).open();
                    AllGather gather = AllGather.on(space).build()) {
                  for (int i = 0; i < 3; i++) {
                    try (Step step =
                        gather.begin(RowCounts.known(world.rank() == oddRank ? other : right))) {
                      Exact.fill(step.input(), i, step.firstRow());
                      step.run();
                      if (world.rank() != oddRank) {
                        Exact.check(step.gathered(), i);
                      }
                    }
                  }
                } catch (GemmflowException e) {
                  noticed[world.rank()]++;
                }
              });
      for (int rank = 0; rank < RANKS; rank++) {
        assertEquals(1, noticed[rank], "rank " + rank + " with " + wrong + " on rank " + odd);
      }
    }
  }

  private static Throwable[] runAll(Function<Integer, Config> config, World.Program program) {
    Throwable[] thrown = new Throwable[RANKS];
    LocalWorld.of(RANKS)
        .config(config)
        .run(
            world -> {
              try {
                program.run(world);
              } catch (RuntimeException | Error e) {
                thrown[world.rank()] = e;
              }
            });
    Leftovers.assertNone();
    return thrown;
  }

  /** A kernel on a machine without memory. */
  private static final class FullKernel implements Kernel {
    private final Kernel kernel = new ReferenceKernel();

    @Override
    public String name() {
      return "full";
    }

    @Override
    public String instructions() {
      return "none";
    }

    @Override
    public PackedWeights pack(Matrix weights, WeightLayout layout) {
      PackedWeights inner = kernel.pack(weights, layout);
      return new PackedWeights(this, inner.type(), layout, inner.inputs(), inner.outputs()) {
        @Override
        protected void free() {
          inner.close();
        }
      };
    }

    @Override
    public boolean hasInt8() {
      return true;
    }

    @Override
    public PackedWeights packConverted(Int8Columns weights) {
      throw new OutOfMemoryError("pretended");
    }

    @Override
    public PackedWeights pack(Int8Columns weights) {
      throw new OutOfMemoryError("pretended");
    }

    @Override
    public Product product(PackedWeights weights, ProductSpec spec) {
      throw new OutOfMemoryError("pretended");
    }
  }
}
