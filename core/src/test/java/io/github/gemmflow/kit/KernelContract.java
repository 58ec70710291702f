// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every {@link Kernel} must do; an implementation extends this. */
public abstract class KernelContract {
  private static final int[][] SHAPES = {
    {1, 1, 1}, {2, 3, 5}, {7, 64, 64}, {16, 31, 129}, {33, 100, 65}, {5, 0, 3}, {0, 4, 4}, {3, 4, 0}
  };

  /** Rows, inputs and outputs that no power of two divides, wider than two of any panels. */
  private static final int[] UNEVEN = {131, 83, 1101};

  /** How far an activation may be off, for each unit of its size: a few bits of a float. */
  private static final double ACTIVATION_BOUND = 0x1p-20;

  protected abstract Kernel kernel();

  /** A way to use a kernel. */
  record Use(DType type, DType output, Activation activation, boolean bias) {
    ProductSpec spec(int columns, int threads, Arena arena) {
      Epilogue epilogue = Epilogue.of(activation);
      if (bias) {
        epilogue = epilogue.withBias(Exact.matrix(DType.F32, 1, columns, 3, arena));
      }
      return new ProductSpec(output, epilogue, threads);
    }

    /** What becomes of a sum in a column. */
    double finish(double sum, long column) {
      double biased = bias ? sum + Exact.value(3, 0, column) : sum;
      return activation.apply((float) biased);
    }

    boolean isExact() {
      return activation == Activation.NONE || activation == Activation.RELU;
    }
  }

  static Stream<Use> uses() {
    List<Use> uses = new ArrayList<>();
    for (DType type : DType.REALS) {
      for (DType output : type == DType.F32 ? List.of(type) : List.of(DType.F32, type)) {
        for (Activation activation : Activation.values()) {
          uses.add(new Use(type, output, activation, false));
          uses.add(new Use(type, output, activation, true));
        }
      }
    }
    return uses.stream();
  }

  private static ProductSpec plain(DType output) {
    return new ProductSpec(output, Epilogue.NONE, 1);
  }

  /** Multiplies all rows of {@code a} in runs of so many rows and panels of so many columns. */
  private static void multiply(Product product, Matrix a, Matrix c, long runRows, long panel) {
    Block from = new Block();
    Block to = new Block();
    for (long row = 0; row < a.rows(); row += runRows) {
      long end = Math.min(a.rows(), row + runRows);
      for (long column = 0; column < c.columns(); column += panel) {
        Matrix part = c.columns(column, Math.min(c.columns(), column + panel));
        product.multiply(0, a.block(from, row, end), part.block(to, row, end), column);
      }
    }
  }

  private static void multiply(Product product, Matrix a, Matrix c) {
    multiply(product, a, c, Math.max(1, a.rows()), Math.max(1, c.columns()));
  }

  /** Each thread multiplies its share of the rows. */
  private static void multiplyWithThreads(Product product, Matrix a, Matrix c, int threads) {
    List<Thread> workers = new ArrayList<>();
    List<Throwable> thrown = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int thread = t;
      long from = a.rows() * t / threads;
      long to = a.rows() * (t + 1) / threads;
      Block rows = a.block(new Block(), from, to);
      Block target = c.block(new Block(), from, to);
      workers.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((worker, e) -> thrown.add(e))
              .start(() -> product.multiply(thread, rows, target, 0)));
    }
    for (Thread worker : workers) {
      join(worker);
    }
    assertEquals(List.of(), thrown);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("uses")
  void integersAreExact(Use use) {
    for (int[] shape : SHAPES) {
      for (WeightLayout layout : WeightLayout.values()) {
        for (int threads = 1; threads <= 3; threads++) {
          try (Arena arena = Arena.ofShared()) {
            Matrix a = Exact.matrix(use.type, shape[0], shape[1], 1, arena);
            Matrix c = Matrix.allocate(use.output, shape[0], shape[2], arena).fill(Float.NaN);
            ProductSpec spec = use.spec(shape[2], threads, arena);
            try (PackedWeights weights = pack(use.type, shape[1], shape[2], layout, arena);
                Product product = kernel().product(weights, spec)) {
              assertEquals(shape[1], weights.inputs());
              assertEquals(shape[2], weights.outputs());
              multiplyWithThreads(product, a, c, threads);
            }
            checkIntegers(use, shape[1], c);
          }
        }
      }
    }
  }

  private static void checkIntegers(Use use, int k, Matrix c) {
    for (long row = 0; row < c.rows(); row++) {
      for (long column = 0; column < c.columns(); column++) {
        long sum = 0;
        for (long i = 0; i < k; i++) {
          sum += (long) Exact.value(1, row, i) * Exact.value(2, i, column);
        }
        check(use, row, column, use.finish((double) sum, column), c, 0);
      }
    }
  }

  /** Integers must be met exactly; activations of reals nearly. */
  private static void check(
      Use use, long row, long column, double expected, Matrix c, double bound) {
    double allowed = bound;
    if (!use.isExact()) {
      allowed += ACTIVATION_BOUND * Math.max(1, Math.abs(expected));
    }
    if (allowed > 0 && use.output != DType.F32) {
      allowed += Math.abs(expected) * (use.output == DType.BF16 ? 0x1p-8 : 0x1p-11) + 0x1p-24;
    }
    double wanted = allowed > 0 ? expected : use.output.round((float) expected);
    double actual = c.get(row, column);
    assertTrue(
        Math.abs(actual - wanted) <= allowed,
        () -> "%s: C[%d, %d] is %s, not %s".formatted(use, row, column, actual, wanted));
  }

  /** The weights of seed 2. */
  private PackedWeights pack(DType type, long k, long n, WeightLayout layout, Arena arena) {
    Matrix inOut = Exact.matrix(type, k, n, 2, arena);
    return kernel()
        .pack(layout == WeightLayout.IN_OUT ? inOut : Exact.transposed(inOut, arena), layout);
  }

  /** {@code |C - AB| <= gamma_k |A||B|}, element by element, for any order of summation. */
  @ParameterizedTest
  @MethodSource("uses")
  void realsAreWithinTheBound(Use use) {
    int m = 9;
    int k = 700;
    int n = 65;
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Reals.matrix(use.type, m, k, 5, arena);
      Matrix b = Reals.matrix(use.type, k, n, 6, arena);
      Matrix c = Matrix.allocate(use.output, m, n, arena).fill(Float.NaN);
      try (PackedWeights weights = kernel().pack(b, WeightLayout.IN_OUT);
          Product product = kernel().product(weights, use.spec(n, 1, arena))) {
        multiply(product, a, c);
      }
      for (long row = 0; row < m; row++) {
        for (long column = 0; column < n; column++) {
          double sum = 0;
          double magnitude = use.bias ? 4 : 0;
          for (long i = 0; i < k; i++) {
            double term = (double) a.get(row, i) * b.get(i, column);
            sum += term;
            magnitude += Math.abs(term);
          }
          // No activation is steeper than 1.13.
          double bound = 1.13 * (k + 2) * 0x1p-24 * magnitude;
          check(use, row, column, use.finish(sum, column), c, bound);
        }
      }
    }
  }

  /** Strided and heap memory, and rows that begin anywhere. */
  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "I8")
  void blocksAreReadAndWrittenWhereverTheyLie(DType type) {
    try (Arena arena = Arena.ofShared()) {
      for (boolean heap : new boolean[] {false, true}) {
        for (int rows : new int[] {1, 9, 150}) {
          Matrix wideA = matrix(type, rows, 40, heap, arena).fill(Float.NaN);
          Matrix a = wideA.columns(3, 20);
          Exact.fill(a, 1, 0);
          Matrix wideC = matrix(DType.F32, rows, 90, heap, arena).fill(Float.NaN);
          Matrix c = wideC.columns(5, 75);
          try (PackedWeights weights = pack(type, 17, 70, WeightLayout.IN_OUT, arena);
              Product product = kernel().product(weights, plain(DType.F32))) {
            multiply(product, a, c);
          }
          Exact.checkProduct(c, 1, 2, 17);
          for (long row = 0; row < rows; row++) {
            assertTrue(Float.isNaN(wideC.get(row, 4)) && Float.isNaN(wideC.get(row, 75)));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "I8")
  void rowsOfNothingLieAnywhere(DType type) {
    try (Arena arena = Arena.ofShared()) {
      Block a = new Block().at(MemorySegment.NULL, 1000, 2, 0, 0);
      Matrix c = Matrix.allocate(type, 2, 3, arena).fill(Float.NaN);
      try (PackedWeights weights = pack(type, 0, 3, WeightLayout.IN_OUT, arena);
          Product product = kernel().product(weights, plain(type))) {
        product.multiply(0, a, c.block(new Block(), 0, 2), 0);
        product.multiply(0, a, new Block().at(MemorySegment.NULL, 1000, 2, 0, 0), 0);
      }
      assertEquals(0, c.get(1, 2));
    }
  }

  private static Matrix matrix(DType type, long rows, long columns, boolean heap, Arena arena) {
    return heap
        ? Matrix.wrap(
            MemorySegment.ofArray(new byte[(int) (rows * columns * type.bytes())]),
            type,
            rows,
            columns)
        : Matrix.allocate(type, rows, columns, arena);
  }

  @ParameterizedTest
  @MethodSource("uses")
  void bitsDoNotDependOnHowTheWorkIsCut(Use use) {
    int m = UNEVEN[0];
    int k = UNEVEN[1];
    int n = UNEVEN[2];
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Reals.matrix(use.type, m, k, 7, arena);
      Matrix b = Reals.matrix(use.type, k, n, 8, arena);
      try (PackedWeights weights = kernel().pack(b, WeightLayout.IN_OUT)) {
        Matrix whole = Matrix.allocate(use.output, m, n, arena);
        try (Product product = kernel().product(weights, use.spec(n, 1, arena))) {
          multiply(product, a, whole);
          for (long run : new long[] {1, 3, 16, 64, 130}) {
            for (long units : new long[] {1, 2}) {
              Matrix cut = Matrix.allocate(use.output, m, n, arena).fill(Float.NaN);
              multiply(product, a, cut, run, units * product.columnGranularity());
              assertEquals(-1, whole.memory().mismatch(cut.memory()), "runs of " + run);
            }
          }
        }
        for (int threads = 2; threads <= 3; threads++) {
          // A product for fewer rows at a time, by other threads.
          try (Product product = kernel().product(weights, use.spec(n, threads, arena))) {
            Matrix cut = Matrix.allocate(use.output, m, n, arena).fill(Float.NaN);
            multiplyWithThreads(product, a, cut, threads);
            assertEquals(-1, whole.memory().mismatch(cut.memory()), threads + " threads");
          }
        }
      }
    }
  }

  /** As plain Java has them. */
  @ParameterizedTest
  @MethodSource("uses")
  void notANumberAndInfinityPropagate(Use use) {
    float[] special = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0, -1, 2};
    int size = special.length;
    try (Arena arena = Arena.ofShared()) {
      Matrix a = Matrix.allocate(use.type, size, size, arena);
      Matrix b = Matrix.allocate(use.type, size, size, arena);
      SplittableRandom random = new SplittableRandom(9);
      for (long i = 0; i < size; i++) {
        // One special value in each row of A, one in each column of B.
        for (long j = 0; j < size; j++) {
          a.set(i, j, j == 0 ? special[(int) i] : random.nextInt(-3, 4));
          b.set(i, j, i == 0 ? special[(int) j] : random.nextInt(-3, 4));
        }
      }
      Matrix expected = Matrix.allocate(use.output, size, size, arena);
      Matrix actual = Matrix.allocate(use.output, size, size, arena);
      Use plainUse = new Use(use.type, DType.F32, Activation.NONE, use.bias);
      Matrix sums = Matrix.allocate(DType.F32, size, size, arena);
      multiplyWith(new ReferenceKernel(), plainUse, a, b, sums, arena);
      multiplyWith(new ReferenceKernel(), use, a, b, expected, arena);
      multiplyWith(kernel(), use, a, b, actual, arena);
      for (long row = 0; row < size; row++) {
        for (long column = 0; column < size; column++) {
          float wanted = expected.get(row, column);
          float sum = sums.get(row, column);
          if (use.activation == Activation.GELU && Float.isInfinite(sum)) {
            float limit = Math.max(0, sum);
            float found = actual.get(row, column);
            assertTrue(Float.isNaN(found) || found == limit, use + " of " + sum + ": " + found);
          } else if (Float.isFinite(wanted)) {
            check(use, row, column, wanted, actual, 0);
          } else {
            assertEquals(
                wanted, actual.get(row, column), use + ": C[%d, %d]".formatted(row, column));
          }
        }
      }
    }
  }

  private static void multiplyWith(
      Kernel kernel, Use use, Matrix a, Matrix b, Matrix c, Arena arena) {
    ProductSpec spec = use.spec((int) c.columns(), 1, arena);
    try (PackedWeights weights = kernel.pack(b, WeightLayout.IN_OUT);
        Product product = kernel.product(weights, spec)) {
      multiply(product, a, c);
    }
  }

  @Test
  void freedMemoryIsNeitherReadNorWritten() {
    Arena closed = Arena.ofShared();
    try (Arena arena = Arena.ofShared()) {
      Matrix freed = Matrix.allocate(DType.F32, 4, 4, closed);
      Matrix alive = Matrix.allocate(DType.F32, 4, 4, arena);
      try (PackedWeights weights = kernel().pack(alive, WeightLayout.IN_OUT);
          Product product = kernel().product(weights, plain(DType.F32))) {
        closed.close();
        assertThrows(IllegalStateException.class, () -> multiply(product, freed, alive));
        assertThrows(IllegalStateException.class, () -> multiply(product, alive, freed));
        for (WeightLayout layout : WeightLayout.values()) {
          assertThrows(IllegalStateException.class, () -> kernel().pack(freed, layout));
        }
      }
    }
  }

  @Test
  void weightsLiveUntilTheirLastUser() {
    try (Arena arena = Arena.ofShared()) {
      PackedWeights weights = pack(DType.F32, 4, 4, WeightLayout.IN_OUT, arena);
      PackedWeights.Use use = weights.use();
      weights.close();
      weights.close();
      assertThrows(IllegalStateException.class, weights::use);
      try (Product product = kernel().product(weights, plain(DType.F32))) {
        Matrix c = Matrix.allocate(DType.F32, 2, 4, arena);
        multiply(product, Exact.matrix(DType.F32, 2, 4, 1, arena), c);
        Exact.checkProduct(c, 1, 2, 4);
      }
      use.close();
      use.close();
    }
  }
}
