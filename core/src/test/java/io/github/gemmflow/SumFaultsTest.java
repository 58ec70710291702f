// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What summing operators do when ranks differ, arguments are wrong, or things are closed. */
@ExtendWith(Pauses.class)
class SumFaultsTest {
  private static final int RANKS = 3;
  private static final int ODD = 2;

  @AfterEach
  void nothingIsLeft() {
    Leftovers.assertNone();
  }

  /** A rank of a world; may throw. */
  private interface Body {
    void run(World world) throws Exception;
  }

  private static int[] hosts(String placement) {
    return Arrays.stream(placement.split(",")).mapToInt(Integer::parseInt).toArray();
  }

  /** Runs on hosts; returns what each rank threw. */
  private static List<Throwable> thrown(String placement, Body body) {
    int[] hosts = hosts(placement);
    AtomicReferenceArray<Throwable> thrown = new AtomicReferenceArray<>(hosts.length);
    LocalWorld.onHosts(hosts)
        .config(Config.builder().deadline(Duration.ofSeconds(2)).build())
        .run(
            world -> {
              try {
                body.run(world);
              } catch (Exception e) {
                thrown.set(world.rank(), e);
              }
            });
    List<Throwable> all = new ArrayList<>();
    for (int rank = 0; rank < hosts.length; rank++) {
      all.add(thrown.get(rank));
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "columns of the sum: rank 0 has 4, rank 2 has 5",
        "type between hosts: rank 0 has F32, rank 2 has BF16",
        "chunks: rank 0 has automatic, rank 2 has 2 rows",
        "storage: rank 0 has automatic, rank 2 has streamed",
        "slots: rank 0 has 2, rank 2 has 3",
        "in flight: rank 0 has automatic, rank 2 has 7",
        "overlap: rank 0 has automatic, rank 2 has sequential",
        "path: rank 0 has automatic, rank 2 has staged",
      })
  void eachSharedFieldIsCompared(String expected) {
    String field = expected.substring(0, expected.indexOf(':'));
    List<Throwable> thrown =
        thrown(
            "0,0,1",
            world -> {
              boolean odd = world.rank() == ODD;
              try (Workspace space = Workspace.on(world.group()).rows(9).columns(4).open()) {
                ReduceScatter.on(space)
                    .columns(odd && field.equals("columns of the sum") ? 5 : 4)
                    .wireType(odd && field.equals("type between hosts") ? DType.BF16 : DType.F32)
                    .tuning(odd ? oddTuning(field) : Tuning.DEFAULT)
                    .build()
                    .close();
              }
            });
    for (Throwable e : thrown) {
      assertTrue(
          e instanceof DisagreementException
              && e.toString().endsWith("do not agree on " + expected),
          String.valueOf(e));
    }
  }

  private static Tuning oddTuning(String field) {
    return switch (field) {
      case "chunks" -> Tuning.DEFAULT.withChunkRows(2);
      case "storage" -> Tuning.DEFAULT.withStorage(Storage.STREAMED);
      case "slots" -> Tuning.DEFAULT.withSlots(3);
      case "in flight" -> Tuning.DEFAULT.withInFlight(7);
      case "overlap" -> Tuning.DEFAULT.withOverlap(Overlap.SEQUENTIAL);
      case "path" -> Tuning.DEFAULT.withSums(SumPath.STAGED);
      default -> Tuning.DEFAULT;
    };
  }

  /** A schedule says nothing about sums, so ranks may differ in it. */
  @Test
  void whatDoesNotMatterMayDiffer() {
    List<Throwable> thrown =
        thrown(
            "0,0,1",
            world -> {
              Tuning mine =
                  Tuning.DEFAULT.withSchedule(
                      io.github.gemmflow.tuning.Schedule.ALL.get(world.rank()));
              try (Arena arena = Arena.ofConfined();
                  Workspace space = Workspace.on(world.group()).rows(9).columns(4).open();
                  AllReduce sum = AllReduce.on(space).tuning(mine).build()) {
                Matrix x = Matrix.allocate(DType.F32, 2, 4, arena).fill(1);
                sum.run(x, x);
                assertEquals(3, x.get(1, 3));
              }
            });
    thrown.forEach(e -> assertEquals(null, e));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0,0,0", "0,0,1", "0,1,2"})
  void differentOrderIsFoundInTheStep(String placement) {
    List<Throwable> thrown =
        thrown(
            placement,
            world -> {
              try (Arena arena = Arena.ofConfined();
                  Workspace space = Workspace.on(world.group()).rows(12).columns(4).open();
                  AllReduce first = AllReduce.on(space).columns(4).build();
                  AllReduce second = AllReduce.on(space).columns(4).build()) {
                Matrix x = Matrix.allocate(DType.F32, 12, 4, arena);
                (world.rank() == ODD ? second : first).run(x, x);
              }
            });
    for (Throwable e : thrown) {
      assertTrue(String.valueOf(e).contains("operator: rank"), () -> placement + ": " + e);
    }
  }

  /** No sum is returned that has an addend of another operator, however late the word of it. */
  @ParameterizedTest
  @ValueSource(strings = {"0,1", "0,1,1"})
  void noSumOfDifferentOperatorsIsReturned(String placement) {
    int[] hosts = hosts(placement);
    for (long seed = 0; seed < 100; seed++) {
      Chaos chaos = Chaos.delays(seed);
      AtomicInteger returned = new AtomicInteger();
      LocalWorld.onHosts(hosts)
          .config(Config.builder().deadline(Duration.ofSeconds(2)).build())
          .decorate(engine -> new ChaosEngine(engine, chaos))
          .run(
              world -> {
                try (Arena arena = Arena.ofConfined();
                    Workspace space = Workspace.on(world.group()).rows(12).columns(4).open();
                    AllReduce first = AllReduce.on(space).build();
                    AllReduce second = AllReduce.on(space).build()) {
                  Matrix x = Matrix.allocate(DType.F32, 12, 4, arena);
                  (world.rank() == hosts.length - 1 ? second : first).run(x, x);
                  returned.incrementAndGet();
                } catch (GemmflowException e) {
                  // That, or another rank's, is as it should be.
                }
              });
      assertEquals(0, returned.get(), "chaos seed " + seed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0,0,0", "0,0,1", "0,1,2"})
  void differentRowCountsAreFound(String placement) {
    List<Throwable> thrown =
        thrown(
            placement,
            world -> {
              try (Arena arena = Arena.ofConfined();
                  Workspace space = Workspace.on(world.group()).rows(12).columns(4).open();
                  ReduceScatter sum = ReduceScatter.on(space).build()) {
                long[] rows = world.rank() == ODD ? new long[] {4, 5, 3} : new long[] {4, 4, 4};
                Matrix x = Matrix.allocate(DType.F32, 12, 4, arena);
                Matrix y = Matrix.allocate(DType.F32, rows[world.rank()], 4, arena);
                sum.run(RowCounts.known(rows), x, y);
              }
            });
    for (Throwable e : thrown) {
      String text = String.valueOf(e);
      assertTrue(
          text.contains("were given different row counts") || text.contains("rows of rank"),
          () -> placement + ": " + text);
    }
  }

  /** Ranks that know only their own rows find out together that those are not all. */
  @Test
  void anInputOfOtherRowsThanAllOutputsBreaksTheGroup() {
    List<Throwable> thrown =
        thrown(
            "0,0,0",
            world -> {
              try (Arena arena = Arena.ofConfined();
                  Workspace space = Workspace.on(world.group()).rows(12).columns(4).open();
                  ReduceScatter sum = ReduceScatter.on(space).build()) {
                Matrix x = Matrix.allocate(DType.F32, world.rank() == ODD ? 8 : 9, 4, arena);
                sum.run(x, x.rows(0, 3));
              }
            });
    assertTrue(
        String.valueOf(thrown.get(ODD))
            .contains("the input has 8 rows, but the outputs of all ranks together have 9"),
        String.valueOf(thrown.get(ODD)));
    for (int rank = 0; rank < ODD; rank++) {
      String text = String.valueOf(thrown.get(rank));
      assertTrue(thrown.get(rank) instanceof BrokenException && text.contains("rank 2"), text);
    }
  }

  /** What is wrong is said before anything happens; the next step is right. */
  @Test
  void badArgumentsChangeNothing() {
    try (Arena shared = Arena.ofShared();
        Arena confined = Arena.ofConfined();
        World world = World.single(Config.builder().threads(2).build());
        Workspace space = Workspace.on(world.group()).rows(8).columns(4).type(DType.BF16).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.BF16, 4, 6, 1, shared), WeightLayout.IN_OUT);
        var sum = MatmulReduceScatter.on(space).weights(weights).build()) {
      Matrix a = Matrix.allocate(DType.BF16, 8, 4, shared).fill(0);
      Matrix c = Matrix.allocate(DType.F32, 8, 6, shared).fill(Float.NaN);
      long[] all = {8};
      refused(
          "the input must have 4 columns, not 3: the weights have 4 inputs (packed IN_OUT)",
          () -> sum.run(a.columns(0, 3), c));
      refused(
          "packed IN_OUT): did you mean OUT_IN?",
          () -> sum.run(Matrix.allocate(DType.BF16, 8, 6, shared), c));
      refused("has one output, not 2", () -> sum.run(a, c, c));
      refused("the input must be 8 x 4 BF16", () -> sum.run(RowCounts.known(all), a.rows(0, 7), c));
      refused("the output must be 8 x 6 F32", () -> sum.run(RowCounts.known(all), a, c.rows(0, 7)));
      refused(
          "the output must be 8 x 6 F32, not 8 x 6 BF16",
          () -> sum.run(RowCounts.known(all), a, Matrix.allocate(DType.BF16, 8, 6, shared)));
      refused("for each of the 1 ranks", () -> sum.run(RowCounts.known(4, 4), a, c));
      refused(
          "more than the workspace was opened for",
          () ->
              sum.run(
                  RowCounts.known(9),
                  Matrix.allocate(DType.BF16, 9, 4, shared),
                  Matrix.allocate(DType.F32, 9, 6, shared)));
      refused(
          "the output is confined to one thread",
          () -> sum.run(RowCounts.known(all), a, Matrix.allocate(DType.F32, 8, 6, confined)));
      sum.run(RowCounts.known(all), a, c);
      assertEquals(0, c.get(7, 5));
      assertEquals(1, sum.steps());
    }
  }

  private static void refused(String message, org.junit.jupiter.api.function.Executable call) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call);
    assertTrue(String.valueOf(e.getMessage()).contains(message), e::toString);
  }

  @Test
  void whatCannotBeBuiltIsRefused() {
    try (Arena arena = Arena.ofConfined();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(8).columns(4).type(DType.BF16).open();
        PackedWeights other =
            world.pack(Exact.matrix(DType.F32, 4, 6, 1, arena), WeightLayout.IN_OUT);
        PackedWeights weights =
            world.pack(Exact.matrix(DType.BF16, 4, 6, 1, arena), WeightLayout.IN_OUT)) {
      cannotBuild("needs weights", () -> MatmulAllReduce.on(space).build());
      cannotBuild(
          "the workspace is for BF16", () -> MatmulAllReduce.on(space).weights(other).build());
      cannotBuild(
          "F32 or BF16, not F16",
          () -> MatmulAllReduce.on(space).weights(weights).outputType(DType.F16).build());
      cannotBuild(
          "whose range is too small",
          () -> MatmulAllReduce.on(space).weights(weights).wireType(DType.F16).build());
      cannotBuild(
          "a bias of 5 values does not fit",
          () ->
              MatmulAllReduce.on(space)
                  .weights(weights)
                  .epilogue(Epilogue.bias(Matrix.allocate(DType.F32, 1, 5, arena)))
                  .build());
      cannotBuild("8 x -1 elements cannot be", () -> AllReduce.on(space).columns(-1).build());
      cannotBuild(
          "larger than any memory", () -> AllReduce.on(space).columns(Long.MAX_VALUE / 2).build());
      cannotBuild(
          "bytes are free", () -> AllReduce.on(space).columns(Long.MAX_VALUE / 100).build());
    }
  }

  private static void cannotBuild(String message, org.junit.jupiter.api.function.Executable call) {
    RuntimeException e = assertThrows(RuntimeException.class, call);
    assertFalse(e instanceof DisagreementException, e::toString);
    assertTrue(String.valueOf(e.getMessage()).contains(message), e::toString);
  }

  @Test
  void closedThingsAreNotUsed() {
    try (Arena arena = Arena.ofShared();
        World world = World.single()) {
      Workspace space = Workspace.on(world.group()).rows(8).columns(4).open();
      AllReduce sum = AllReduce.on(space).build();
      AllReduce other = AllReduce.on(space).build();
      Matrix x = Matrix.allocate(DType.F32, 8, 4, arena);
      sum.close();
      sum.close();
      assertThrows(IllegalStateException.class, () -> sum.run(x, x));
      other.run(x, x);
      space.close();
      assertThrows(IllegalStateException.class, () -> other.run(x, x));
      other.close();
    }
  }

  /** Operators of equal plans share their room. */
  @Test
  void operatorsAddNoWindow() {
    try (World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(8).columns(4).open()) {
      List<AllReduce> operators = new ArrayList<>();
      operators.add(AllReduce.on(space).build());
      long mappings = Leftovers.mappings();
      long bytes = space.stats().sharedBytes();
      for (int i = 0; i < 200; i++) {
        operators.add(AllReduce.on(space).build());
      }
      assertEquals(mappings, Leftovers.mappings());
      assertEquals(bytes, space.stats().sharedBytes());
      operators.forEach(AllReduce::close);
    }
  }

  @Test
  void aSumRunsInTheBackground() {
    CountDownLatch refused = new CountDownLatch(RANKS - 1);
    List<Throwable> thrown =
        thrown(
            "0,0,1",
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(9).columns(4).open();
                  AllReduce sum = AllReduce.on(space).build()) {
                Matrix x = Matrix.allocate(DType.F32, 9, 4, arena).fill(1);
                if (world.rank() == 0) {
                  // Until it begins, no sum ends.
                  refused.await();
                }
                RunHandle handle = sum.start(x, x);
                if (world.rank() != 0) {
                  assertThrows(IllegalStateException.class, sum::close);
                  refused.countDown();
                }
                handle.await();
                assertEquals(3, x.get(8, 3));
              }
            });
    thrown.forEach(e -> assertEquals(null, e));
  }

  /** Again and again, because it is about who comes first. */
  @Test
  void aWorldClosesWhileASumRunsInTheBackground() {
    for (int i = 0; i < 50; i++) {
      CountDownLatch built = new CountDownLatch(RANKS);
      try (Arena arena = Arena.ofShared()) {
        Matrix x = Matrix.allocate(DType.F32, 9, 4, arena);
        LocalWorld.onHosts(0, 0, 1)
            .run(
                world -> {
                  Workspace space = Workspace.on(world.group()).rows(9).columns(4).open();
                  AllReduce sum = AllReduce.on(space).build();
                  built.countDown();
                  if (world.rank() == 0) {
                    // Whoever still builds would rightly hear that the job was aborted.
                    built.await();
                    sum.start(x, x);
                  }
                });
      }
      Leftovers.assertNone();
    }
  }
}
