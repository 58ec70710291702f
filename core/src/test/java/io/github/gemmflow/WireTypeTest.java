// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Chaos;
import io.github.gemmflow.kit.ChaosEngine;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Reals;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Rows of reals that travel in int8, in blocks of 128 columns with a scale each. */
class WireTypeTest {
  private static final int BLOCK = RowFormat.BLOCK;

  /** Integers that are rounded to themselves: each block has a 127. */
  private static int value(long seed, long row, long column) {
    return column % BLOCK == 0 ? DType.LARGEST_INT8 : 20 * Exact.value(seed, row, column);
  }

  private static Matrix integers(DType type, long first, long rows, long columns, Arena arena) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        matrix.set(row, column, value(1, first + row, column));
      }
    }
    return matrix;
  }

  @Test
  void integersAreExactWhateverTheWay() {
    Cases.run(getClass(), Cases.shortOrSoak(20, 60), WireTypeTest::exactCase);
  }

  private static void exactCase(long seed) {
    Draw draw = new Draw(seed);
    int ranks = draw.ranks();
    int[] hosts = draw.hosts(ranks);
    long[] rows = draw.rows(ranks, 40);
    long k = draw.oneOf(java.util.List.of(1L, 5L, 127L, 128L, 129L, 300L, 512L));
    DType type = draw.type();
    DType given = draw.type();
    boolean gated = draw.chance(0.3);
    Tuning room = draw.room(40);
    LocalWorld.onHosts(hosts)
        .config(Config.builder().threads(1 + draw.below(3)).build())
        .decorate(engine -> new ChaosEngine(engine, Chaos.delays(seed)))
        .run(
            world -> {
              long bSeed = 100L + world.rank();
              int n = 1 + world.rank() * 70;
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group())
                          .rows(40)
                          .columns(k)
                          .type(type)
                          .wireType(DType.I8)
                          .tuning(room)
                          .open();
                  PackedWeights weights =
                      world.pack(Exact.matrix(type, k, n, bSeed, arena), WeightLayout.IN_OUT);
                  AllGatherMatmul product = build(space, weights, gated);
                  AllGather gather = AllGather.on(space).build()) {
                long total = Arrays.stream(rows).sum();
                long first = Arrays.stream(rows, 0, world.rank()).sum();
                Matrix a = integers(given, first, rows[world.rank()], k, arena);
                Matrix c = Matrix.allocate(DType.F32, total, n, arena).fill(Float.NaN);
                Matrix all = Matrix.allocate(type, total, k, arena).fill(Float.NaN);
                product.run(RowCounts.known(rows), a, c);
                gather.run(RowCounts.known(rows), a, all);
                checkProduct(c, k, bSeed, gated);
                for (long row = 0; row < total; row++) {
                  for (long column = 0; column < k; column++) {
                    assertEquals(value(1, row, column), all.get(row, column));
                  }
                }
              }
            });
  }

  private static AllGatherMatmul build(Workspace space, PackedWeights weights, boolean gated) {
    AllGatherMatmul.Builder builder = AllGatherMatmul.on(space);
    return gated
        ? builder.gatedOutput(weights, weights, Activation.RELU).build()
        : builder.output(weights).build();
  }

  private static void checkProduct(Matrix c, long k, long bSeed, boolean gated) {
    for (long row = 0; row < c.rows(); row++) {
      for (long column = 0; column < c.columns(); column++) {
        float sum = 0;
        for (int i = 0; i < k; i++) {
          sum += value(1, row, i) * Exact.value(bSeed, i, column);
        }
        assertEquals(gated ? Math.max(sum, 0) * sum : sum, c.get(row, column));
      }
    }
  }

  /** Real numbers: the same bits for every placement, storage and order of arrival. */
  @Test
  void bitsAreTheSameWhateverTheWay() {
    ConcurrentMap<String, Integer> results = new ConcurrentHashMap<>();
    for (long seed = 0; seed < Cases.shortOrSoak(20, 100); seed++) {
      Draw draw = new Draw(seed);
      Tuning tuning = draw.room(48);
      Chaos chaos = Chaos.delays(seed);
      LocalWorld.onHosts(draw.hosts(4))
          .config(Config.builder().threads(1 + draw.below(3)).build())
          .decorate(engine -> new ChaosEngine(engine, chaos))
          .run(
              world -> {
                int k = 300;
                try (Arena arena = Arena.ofShared();
                    Workspace space =
                        Workspace.on(world.group())
                            .rows(48)
                            .columns(k)
                            .wireType(DType.I8)
                            .tuning(tuning)
                            .open();
                    PackedWeights weights =
                        world.pack(Reals.matrix(DType.F32, k, 70, 2, arena), WeightLayout.IN_OUT);
                    AllGatherMatmul product = build(space, weights, false)) {
                  Matrix a = Reals.matrix(DType.F32, 48, k, 1, arena);
                  Matrix c = Matrix.allocate(DType.F32, 48, 70, arena);
                  long first = 12L * world.rank();
                  product.run(a.rows(first, first + 12), c);
                  results.merge(Arrays.toString(c.toFloats()), 1, Integer::sum);
                }
              });
    }
    assertEquals(1, results.size(), "different bits");
  }

  /** Each element of a row becomes one that is off by at most half the scale of its block. */
  @Test
  void elementsAreOffByHalfAScaleAtMost() {
    LocalWorld.onHosts(0, 1)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space =
                      Workspace.on(world.group()).rows(8).columns(200).wireType(DType.I8).open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix a = Reals.matrix(DType.F32, 4, 200, 7, arena);
                a.set(0, 150, 1000);
                a.set(1, 3, Float.NaN);
                Matrix all = Matrix.allocate(DType.F32, 8, 200, arena);
                gather.run(a, all);
                for (int row = 0; row < 8; row++) {
                  for (int column = 0; column < 200; column++) {
                    int block = column / BLOCK * BLOCK;
                    float largest = 0;
                    for (int j = block; j < Math.min(200, block + BLOCK); j++) {
                      largest = Math.max(largest, Math.abs(a.get(row % 4, j)));
                    }
                    float off = Math.abs(all.get(row, column) - a.get(row % 4, column));
                    boolean isLost = row % 4 == 1 && block == 0;
                    assertTrue(isLost ? Float.isNaN(off) : off <= largest / 253, "off by " + off);
                  }
                }
              }
            });
  }

  @Test
  void whatCannotBeIsRefused() {
    LocalWorld.onHosts(0)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = workspace(world, Storage.GATHERED);
                  PackedWeights weights =
                      world.pack(Exact.matrix(DType.F32, 200, 3, 1, arena), WeightLayout.IN_OUT);
                  AllGatherMatmul product = build(space, weights, false);
                  AllGather gather = AllGather.on(space).build()) {
                try (Step step = product.begin(RowCounts.mine(1))) {
                  refused("pass them to write", step::input);
                  refused("no scales of their own", step::inputScales);
                  Matrix narrow = Exact.matrix(DType.F32, 1, 3, 1, arena);
                  refused("must be 1 x 200", () -> step.write(narrow));
                  step.write(Exact.matrix(DType.F32, 1, 200, 1, arena));
                  step.run(Matrix.allocate(DType.F32, 1, 3, arena));
                }
                refused(
                    "read them from the output of an AllGather",
                    () -> AllGatherMatmul.on(space).output(weights).keepGathered().build());
                refused(
                    "cannot be gathered along columns",
                    () -> AllGather.on(space).columnsPerRank(200).build());
                Matrix a = Exact.matrix(DType.F32, 1, 200, 1, arena);
                refused("needs an output", () -> gather.run(a));
                Workspace.Builder other = Workspace.on(world.group()).rows(1).columns(1);
                refused(
                    "rows of F32 travel as they are, or as I8, not as BF16",
                    () -> other.wireType(DType.BF16).open());
                refused(
                    "rows of I8 travel as they are, not as F32",
                    () -> other.type(DType.I8).wireType(DType.F32).open());
                refused(
                    "partial sums of one column",
                    () -> AllReduce.on(space).columns(1).wireType(DType.I8).build());
              }
            });
  }

  private static Workspace workspace(World world, Storage storage) {
    return Workspace.on(world.group())
        .rows(4)
        .columns(200)
        .wireType(DType.I8)
        .tuning(Tuning.DEFAULT.withStorage(storage))
        .open();
  }

  private static void refused(String message, Executable call) {
    RuntimeException e = assertThrows(RuntimeException.class, call);
    assertTrue(e.toString().contains(message), e::toString);
  }
}
