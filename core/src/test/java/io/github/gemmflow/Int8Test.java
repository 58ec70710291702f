// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gathers of rows in int8, and products with them. */
class Int8Test {
  private static final int K = 70;
  private static final int N = 9;

  /** Integers from -127 to 127; every row and every column has a 127, so that scales are 1. */
  private static int value(long seed, long row, long column) {
    if (row == column || (row >= K && column == 0) || (column >= K && row == 0)) {
      return 127;
    }
    return (int) Math.floorMod(seed * 31 + row * 17 + column * 7, 255L) - 127;
  }

  private static Matrix integers(
      DType type, long seed, long firstRow, long rows, long columns, Arena arena) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        matrix.set(row, column, value(seed, firstRow + row, column));
      }
    }
    return matrix;
  }

  private static float product(long aSeed, long bSeed, long row, long column) {
    int sum = 0;
    for (int k = 0; k < K; k++) {
      sum += value(aSeed, row, k) * value(bSeed, k, column);
    }
    return sum;
  }

  /** What is given in any type of reals is rounded on its way into the window: here, to itself. */
  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "I8")
  void rowsAreRounded(DType type) {
    LocalWorld.onHosts(0, 1, 1)
        .run(
            world -> {
              long seed = 2L + world.rank();
              try (Arena arena = Arena.ofShared();
                  Workspace space = workspace(world);
                  PackedWeights weights =
                      world.pack(
                          integers(DType.F32, seed, 0, K, N, arena),
                          WeightLayout.IN_OUT,
                          DType.I8);
                  AllGatherMatmul operator =
                      AllGatherMatmul.on(space)
                          .output(weights)
                          .gatedOutput(weights, weights, Activation.RELU)
                          .keepGathered()
                          .build();
                  Step step = operator.begin(RowCounts.known(2, 3, 1))) {
                Matrix c = Matrix.allocate(DType.F32, 6, N, arena);
                Matrix gated = Matrix.allocate(DType.F32, 6, N, arena);
                long rows = step.input().rows();
                step.write(integers(type, 1, step.firstRow(), rows, K, arena));
                step.run(c, gated);
                for (long row = 0; row < 6; row++) {
                  assertEquals(1, step.gatheredScales().get(row, 0));
                  assertEquals(value(1, row, 3), step.gathered().get(row, 3));
                  for (long column = 0; column < N; column++) {
                    float product = product(1, seed, row, column);
                    assertEquals(product, c.get(row, column));
                    assertEquals(Math.max(0, product) * product, gated.get(row, column));
                  }
                }
              }
            });
  }

  private static Workspace workspace(World world) {
    return Workspace.on(world.group()).rows(8).columns(K).type(DType.I8).open();
  }

  @Test
  void rowsThatAreNoOrdinaryNumbers() {
    LocalWorld.onHosts(0)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = workspace(world);
                  AllGather gather = AllGather.on(space).build();
                  Step step = gather.begin(RowCounts.known(5))) {
                Matrix a = Matrix.allocate(DType.F32, 5, K, arena);
                a.set(0, 3, 5);
                a.set(1, 7, Float.NaN);
                a.set(1, 8, 2);
                a.set(2, 0, Float.NEGATIVE_INFINITY);
                a.set(4, 69, 0x1p-120f);
                step.write(a);
                step.run();
                Matrix scales = step.gatheredScales();
                assertEquals(5 / 127f, scales.get(0, 0));
                assertEquals(127, step.gathered().get(0, 3));
                assertTrue(Float.isNaN(scales.get(1, 0)), "a row with a NaN");
                assertEquals(0, step.gathered().get(1, 8));
                assertTrue(Float.isNaN(scales.get(2, 0)), "a row with an infinity");
                assertEquals(0, scales.get(3, 0), "a row of zeros");
                assertEquals(0, scales.get(4, 0), "a row of tiny values");
                assertEquals(0, step.gathered().get(4, 69));
              }
            });
  }

  /** Where one rank's kernel has no int8, no rank's weights are packed for it. */
  @Test
  void allConvertWhereOneRankMust() {
    AtomicInteger converted = new AtomicInteger();
    LocalWorld.onHosts(0, 0, 0)
        .config(Config.builder().kernel(new Uneven(converted)).build())
        .run(
            world -> {
              long seed = 2L + world.rank();
              try (Arena arena = Arena.ofShared();
                  Workspace space = workspace(world);
                  PackedWeights weights =
                      world.pack(
                          integers(DType.F32, seed, 0, K, N, arena),
                          WeightLayout.IN_OUT,
                          DType.I8);
                  AllGatherMatmul operator = AllGatherMatmul.on(space).output(weights).build()) {
                Matrix c = Matrix.allocate(DType.F32, 3, N, arena);
                operator.run(integers(DType.F32, 1, world.rank(), 1, K, arena), c);
                for (long row = 0; row < 3; row++) {
                  for (long column = 0; column < N; column++) {
                    assertEquals(product(1, seed, row, column), c.get(row, column));
                  }
                }
              }
            });
    assertEquals(3, converted.get());
  }

  /** More inputs than an int32 can add up: all 127 and -127, whose sum would overflow. */
  @ParameterizedTest
  @EnumSource(names = {"F32", "BF16"})
  void moreInputsThanAnIntCanSum(DType output) {
    int k = 140_000;
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(20).columns(k).type(DType.I8).open();
        PackedWeights weights =
            world.pack(
                Matrix.allocate(DType.F32, 3, k, arena).fill(-127), WeightLayout.OUT_IN, DType.I8);
        AllGatherMatmul operator =
            AllGatherMatmul.on(space)
                .output(weights, Epilogue.bias(Matrix.allocate(DType.F32, 1, 3, arena).fill(1)))
                .outputType(output)
                .build()) {
      Matrix a = Matrix.allocate(DType.F32, 20, k, arena).fill(127);
      Matrix c = Matrix.allocate(output, 20, 3, arena);
      operator.run(a, c);
      float sum = 0;
      for (long left = k; left > 0; left -= 65_536) {
        sum += -127 * 127 * Math.min(left, 65_536);
      }
      float expected = c.type().round(sum + 1);
      for (long row = 0; row < c.rows(); row++) {
        for (long column = 0; column < c.columns(); column++) {
          assertEquals(expected, c.get(row, column));
        }
      }
    }
  }

  @Test
  void whatInt8CannotDoIsRefused() {
    LocalWorld.onHosts(0, 0)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = workspace(world);
                  AllGather gather = AllGather.on(space).build();
                  PackedWeights weights =
                      world.pack(
                          integers(DType.F32, 1, 0, K, N, arena), WeightLayout.IN_OUT, DType.I8)) {
                refused(
                    "cannot be gathered along columns",
                    () -> AllGather.on(space).columnsPerRank(30, 40).build());
                refused(
                    "A cannot be I8",
                    () ->
                        MatmulReduceScatter.on(space).weights(weights).inputType(DType.I8).build());
                refused(
                    "outputs of a product of I8 are F32, BF16 or F16",
                    () -> AllGatherMatmul.on(space).output(weights).outputType(DType.I8).build());
                Matrix integers = Matrix.allocate(DType.I8, 1, K, arena);
                refused("must be of F32, BF16 or F16", () -> gather.run(integers));
                try (Workspace streamed =
                    Workspace.on(world.group())
                        .rows(8)
                        .columns(K)
                        .type(DType.I8)
                        .tuning(space.tuning().withStorage(Storage.STREAMED))
                        .open()) {
                  refused("choose gathered storage", () -> AllGather.on(streamed).build());
                }
                refused(
                    "AllReduce adds F32, BF16 or F16",
                    () -> AllReduce.on(space).columns(4).type(DType.I8).build());
                refused(
                    "require their scales",
                    () -> world.pack(integers, WeightLayout.IN_OUT, DType.F32));
                try (Step step = gather.begin(RowCounts.known(1, 1))) {
                  refused("must be of F32, BF16 or F16", () -> step.write(integers));
                  Matrix out = Matrix.allocate(DType.I8, 2, K, arena);
                  refused("are read in place, with their scales", () -> step.run(out));
                  step.write(Matrix.allocate(DType.F32, 1, K, arena));
                  step.run();
                }
                try (Workspace reals = Workspace.on(world.group()).rows(8).columns(K).open();
                    AllGather ofReals = AllGather.on(reals).build();
                    Step step = ofReals.begin(RowCounts.known(1, 1))) {
                  assertThrows(IllegalStateException.class, step::inputScales);
                  step.run();
                }
              }
            });
  }

  private static void refused(String part, Runnable what) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, what::run);
    assertTrue(String.valueOf(e.getMessage()).contains(part), e::getMessage);
  }

  /** A kernel that has int8 on all ranks but one. */
  private static final class Uneven implements Kernel {
    private final Kernel kernel = new ReferenceKernel();
    private final AtomicInteger converted;

    Uneven(AtomicInteger converted) {
      this.converted = converted;
    }

    @Override
    public String name() {
      return "uneven";
    }

    @Override
    public String instructions() {
      return "some";
    }

    @Override
    public boolean hasInt8() {
      return !Thread.currentThread().getName().equals("gemmflow-rank-1");
    }

    @Override
    public PackedWeights pack(Matrix weights, WeightLayout layout) {
      return kernel.pack(weights, layout);
    }

    @Override
    public PackedWeights pack(Int8Columns weights) {
      throw new AssertionError("not all ranks can multiply this");
    }

    @Override
    public PackedWeights packConverted(Int8Columns weights) {
      converted.incrementAndGet();
      return kernel.packConverted(weights);
    }

    @Override
    public Product product(PackedWeights weights, ProductSpec spec) {
      return kernel.product(weights, spec);
    }
  }
}
