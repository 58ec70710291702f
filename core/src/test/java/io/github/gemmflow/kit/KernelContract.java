// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every {@link Kernel} must do; an implementation extends this. */
public abstract class KernelContract {
  private static final int[][] SHAPES = {
    {1, 1, 1}, {2, 3, 5}, {7, 64, 64}, {16, 31, 129}, {33, 100, 65}, {5, 0, 3}, {0, 4, 4}, {3, 4, 0}
  };

  protected abstract Kernel kernel();

  private static List<DType> outputs(DType input) {
    return input == DType.F32 ? List.of(DType.F32) : List.of(DType.F32, input);
  }

  /** Multiplies all rows of {@code a} in runs of so many rows and panels of so many columns. */
  private static void multiply(
      Product product, Matrix a, Matrix c, long runRows, long panel, boolean accumulate) {
    Block from = new Block();
    Block to = new Block();
    for (long row = 0; row < a.rows(); row += runRows) {
      long end = Math.min(a.rows(), row + runRows);
      for (long column = 0; column < c.columns(); column += panel) {
        Matrix part = c.columns(column, Math.min(c.columns(), column + panel));
        product.multiply(0, a.block(from, row, end), part.block(to, row, end), column, accumulate);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(DType.class)
  void integersAreExact(DType type) {
    for (int[] shape : SHAPES) {
      for (DType output : outputs(type)) {
        for (WeightLayout layout : WeightLayout.values()) {
          try (Arena arena = Arena.ofShared()) {
            Matrix a = Exact.matrix(type, shape[0], shape[1], 1, arena);
            Matrix c = Matrix.allocate(output, shape[0], shape[2], arena).fill(Float.NaN);
            try (PackedWeights weights = pack(type, shape[1], shape[2], layout, arena);
                Product product = kernel().product(weights, type, output, 1)) {
              assertEquals(shape[1], weights.inputs());
              assertEquals(shape[2], weights.outputs());
              multiply(product, a, c, Math.max(1, a.rows()), Math.max(1, c.columns()), false);
            }
            Exact.checkProduct(c, 1, 2, shape[1]);
          }
        }
      }
    }
  }

  /** The weights of seed 2. */
  private PackedWeights pack(DType type, long k, long n, WeightLayout layout, Arena arena) {
    Matrix inOut = Exact.matrix(type, k, n, 2, arena);
    if (layout == WeightLayout.IN_OUT) {
      return kernel().pack(inOut, layout);
    }
    Matrix outIn = Matrix.allocate(type, n, k, arena);
    for (long i = 0; i < k; i++) {
      for (long j = 0; j < n; j++) {
        outIn.set(j, i, inOut.get(i, j));
      }
    }
    return kernel().pack(outIn, layout);
  }

  @ParameterizedTest
  @EnumSource(DType.class)
  void stridedBlocksAreReadAndWrittenInPlace(DType type) {
    try (Arena arena = Arena.ofShared()) {
      Matrix wideA = Matrix.allocate(type, 9, 40, arena).fill(Float.NaN);
      Matrix a = wideA.columns(3, 20);
      Exact.fill(a, 1, 0);
      Matrix wideC = Matrix.allocate(DType.F32, 9, 90, arena).fill(Float.NaN);
      Matrix c = wideC.columns(5, 75);
      try (PackedWeights weights = pack(type, 17, 70, WeightLayout.IN_OUT, arena);
          Product product = kernel().product(weights, type, DType.F32, 1)) {
        multiply(product, a, c, 9, 70, false);
      }
      Exact.checkProduct(c, 1, 2, 17);
      for (long row = 0; row < 9; row++) {
        assertTrue(Float.isNaN(wideC.get(row, 4)) && Float.isNaN(wideC.get(row, 75)));
      }
    }
  }

  @Test
  void accumulateAddsToWhatIsThere() {
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Exact.matrix(DType.F32, 6, 10, 1, arena);
      Matrix c = Matrix.allocate(DType.F32, 6, 7, arena).fill(100);
      try (PackedWeights weights = pack(DType.F32, 10, 7, WeightLayout.IN_OUT, arena);
          Product product = kernel().product(weights, DType.F32, DType.F32, 1)) {
        multiply(product, a, c, 6, 7, true);
      }
      for (long row = 0; row < 6; row++) {
        for (long column = 0; column < 7; column++) {
          c.set(row, column, c.get(row, column) - 100);
        }
      }
      Exact.checkProduct(c, 1, 2, 10);
    }
  }

  @ParameterizedTest
  @EnumSource(DType.class)
  void bitsDoNotDependOnHowTheWorkIsCut(DType type) {
    SplittableRandom random = new SplittableRandom(3);
    int m = 37;
    int k = 83;
    int n = 200;
    try (Arena arena = Arena.ofShared()) {
      Matrix a = reals(random, type, m, k, arena);
      Matrix b = reals(random, type, k, n, arena);
      try (PackedWeights weights = kernel().pack(b, WeightLayout.IN_OUT);
          Product product = kernel().product(weights, type, DType.F32, 1)) {
        Matrix whole = Matrix.allocate(DType.F32, m, n, arena);
        multiply(product, a, whole, m, n, false);
        for (long run : new long[] {1, 2, 3, 16, 36}) {
          for (long units : new long[] {1, 2, 3}) {
            Matrix cut = Matrix.allocate(DType.F32, m, n, arena).fill(Float.NaN);
            multiply(product, a, cut, run, units * product.columnGranularity(), false);
            assertEquals(-1, whole.memory().mismatch(cut.memory()), "runs of " + run);
          }
        }
      }
    }
  }

  private static Matrix reals(
      SplittableRandom random, DType type, long rows, long columns, Arena arena) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        matrix.set(row, column, (float) random.nextDouble(-1, 1));
      }
    }
    return matrix;
  }

  @Test
  void severalThreadsMultiplyAtTheSameTime() throws Exception {
    int threads = 3;
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Exact.matrix(DType.BF16, 60, 50, 1, arena);
      Matrix c = Matrix.allocate(DType.F32, 60, 130, arena).fill(Float.NaN);
      try (PackedWeights weights = pack(DType.BF16, 50, 130, WeightLayout.OUT_IN, arena);
          Product product = kernel().product(weights, DType.BF16, DType.F32, threads)) {
        List<Thread> workers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          int thread = t;
          workers.add(
              Thread.ofPlatform()
                  .start(
                      () ->
                          product.multiply(
                              thread,
                              a.block(new Block(), 20L * thread, 20L * thread + 20),
                              c.block(new Block(), 20L * thread, 20L * thread + 20),
                              0,
                              false)));
        }
        for (Thread worker : workers) {
          worker.join();
        }
      }
      Exact.checkProduct(c, 1, 2, 50);
    }
  }

  @Test
  void notANumberAndInfinityPropagate() {
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Matrix.allocate(DType.F32, 3, 2, arena).fill(1);
      a.set(0, 0, Float.NaN);
      a.set(1, 0, Float.POSITIVE_INFINITY);
      Matrix b = Matrix.allocate(DType.F32, 2, 2, arena).fill(1);
      b.set(0, 1, 0);
      Matrix c = Matrix.allocate(DType.F32, 3, 2, arena);
      try (PackedWeights weights = kernel().pack(b, WeightLayout.IN_OUT);
          Product product = kernel().product(weights, DType.F32, DType.F32, 1)) {
        multiply(product, a, c, 3, 2, false);
      }
      assertTrue(Float.isNaN(c.get(0, 0)) && Float.isNaN(c.get(0, 1)));
      assertEquals(Float.POSITIVE_INFINITY, c.get(1, 0));
      assertTrue(Float.isNaN(c.get(1, 1)), "infinity times zero");
      assertEquals(2, c.get(2, 0));
    }
  }

  @Test
  void weightsLiveUntilTheirLastUser() {
    try (Arena arena = Arena.ofShared()) {
      PackedWeights weights = pack(DType.F32, 4, 4, WeightLayout.IN_OUT, arena);
      weights.retain();
      weights.close();
      weights.close();
      assertThrows(IllegalStateException.class, weights::retain);
      try (Product product = kernel().product(weights, DType.F32, DType.F32, 1)) {
        Matrix c = Matrix.allocate(DType.F32, 2, 4, arena);
        multiply(product, Exact.matrix(DType.F32, 2, 4, 1, arena), c, 2, 4, false);
        Exact.checkProduct(c, 1, 2, 4);
      }
      weights.release();
    }
  }
}
