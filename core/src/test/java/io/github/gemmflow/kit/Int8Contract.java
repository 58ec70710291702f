// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

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
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of every kernel's products in int8: the bits of a plain loop over integers, whatever is
 * computed together, and nothing but NaN from rows that have one.
 */
public abstract class Int8Contract {
  private static final int[][] SHAPES = {
    {1, 1, 1}, {1, 64, 600}, {3, 130, 65}, {65, 77, 513}, {130, 33, 40}, {7, 1000, 5}, {2, 0, 3}
  };

  protected abstract Kernel kernel();

  /** A kernel that has no int8 says so, instead of being wrong. */
  private boolean isRefused() {
    if (kernel().hasInt8()) {
      return false;
    }
    try (Arena arena = Arena.ofShared()) {
      Weights b = Weights.random(3, 2, new SplittableRandom(1), arena);
      assertThrows(IllegalStateException.class, () -> b.pack(kernel(), WeightLayout.IN_OUT, arena));
    }
    return true;
  }

  /** Weights of full range, in one of both layouts, with their scales. */
  private record Weights(Matrix inOut, Matrix scales) {
    static Weights random(long k, long n, SplittableRandom random, Arena arena) {
      Matrix values = Matrix.allocate(DType.I8, k, n, arena);
      Matrix scales = Matrix.allocate(DType.F32, 1, n, arena);
      for (long j = 0; j < n; j++) {
        for (long i = 0; i < k; i++) {
          values.set(i, j, random.nextInt(-127, 128));
        }
        scales.set(0, j, (float) random.nextDouble(1e-3, 2));
      }
      return new Weights(values, scales);
    }

    PackedWeights pack(Kernel kernel, WeightLayout layout, Arena arena) {
      Matrix values = layout == WeightLayout.IN_OUT ? inOut : Exact.transposed(inOut, arena);
      return kernel.pack(Int8Columns.of(values, scales, layout));
    }
  }

  private static int[][] sums(Int8Rows a, Weights b, long rows, long columns) {
    int[][] sums = new int[(int) rows][(int) columns];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        for (long k = 0; k < b.inOut.rows(); k++) {
          sums[row][column] += a.get(row, k) * (int) b.inOut.get(k, column);
        }
      }
    }
    return sums;
  }

  private static void check(Matrix c, Int8Rows a, Weights b, Epilogue epilogue) {
    check(c, a, b, sums(a, b, c.rows(), c.columns()), epilogue);
  }

  private static void check(Matrix c, Int8Rows a, Weights b, int[][] sums, Epilogue epilogue) {
    for (int row = 0; row < c.rows(); row++) {
      for (int column = 0; column < c.columns(); column++) {
        float expected = c.type().round(expected(a, b, sums, row, column, epilogue));
        Exact.compare("C", row, column, expected, c.get(row, column));
      }
    }
  }

  private static float expected(
      Int8Rows a, Weights b, int[][] sums, int row, int column, Epilogue epilogue) {
    float[] value = {sums[row][column] * b.scales.get(0, column) * a.scale(row)};
    epilogue.apply(value, column, 1);
    return value[0];
  }

  /** Runs of so many rows; C lies with gaps if they are odd. */
  private static void multiply(Product product, Int8Rows a, Matrix c, long run) {
    for (long row = 0; row < c.rows(); row += run) {
      long end = Math.min(c.rows(), row + run);
      product.multiply(0, a.block(row, end), c.block(new Block(), row, end), 0);
    }
  }

  @ParameterizedTest
  @EnumSource(WeightLayout.class)
  void theBitsOfAPlainLoop(WeightLayout layout) {
    if (isRefused()) {
      return;
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int[] shape : SHAPES) {
      for (DType output : List.of(DType.F32, DType.BF16, DType.F16)) {
        try (Arena arena = Arena.ofShared()) {
          Int8Rows a = new Int8Rows(shape[0], shape[1], arena).fill(random);
          Weights b = Weights.random(shape[1], shape[2], random, arena);
          int[][] sums = sums(a, b, shape[0], shape[2]);
          for (int gap = 0; gap < 2; gap++) {
            Matrix c =
                Matrix.allocate(output, shape[0], shape[2] + gap, arena).columns(0, shape[2]);
            for (Epilogue epilogue : epilogues(shape[2], arena)) {
              try (PackedWeights weights = b.pack(kernel(), layout, arena);
                  Product product =
                      kernel().product(weights, new ProductSpec(output, epilogue, 1))) {
                for (long run : new long[] {1, 5, 64, 1000}) {
                  c.fill(Float.NaN);
                  multiply(product, a, c, run);
                  check(c, a, b, sums, epilogue);
                }
              }
            }
          }
        }
      }
    }
  }

  private static List<Epilogue> epilogues(long columns, Arena arena) {
    Matrix bias = Exact.matrix(DType.F32, 1, columns, 3, arena);
    return List.of(Epilogue.NONE, Epilogue.bias(bias), Epilogue.of(Activation.RELU).withBias(bias));
  }

  /** The largest sums that there are, of each sign: nothing saturates. */
  @ParameterizedTest
  @ValueSource(ints = {127, -127})
  void nothingSaturates(int value) {
    if (isRefused()) {
      return;
    }
    int k = 8192;
    try (Arena arena = Arena.ofShared()) {
      Int8Rows a = new Int8Rows(2, k, arena);
      Matrix inOut = Matrix.allocate(DType.I8, k, 3, arena).fill(127);
      Matrix ones = Matrix.allocate(DType.F32, 1, 3, arena).fill(1);
      for (long row = 0; row < 2; row++) {
        for (long column = 0; column < k; column++) {
          a.set(row, column, value);
        }
        a.scale(row, 1);
      }
      Weights b = new Weights(inOut, ones);
      Matrix c = Matrix.allocate(DType.F32, 2, 3, arena);
      try (PackedWeights weights = b.pack(kernel(), WeightLayout.IN_OUT, arena);
          Product product =
              kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1))) {
        multiply(product, a, c, 2);
        check(c, a, b, Epilogue.NONE);
        assertEquals((float) (127 * value * k), c.get(1, 2));
      }
    }
  }

  /** Reals are rounded, each column with a scale of its own, the same from either layout. */
  @ParameterizedTest
  @EnumSource(WeightLayout.class)
  void realWeightsAreRounded(WeightLayout layout) {
    if (isRefused()) {
      return;
    }
    SplittableRandom random = new SplittableRandom(5);
    try (Arena arena = Arena.ofShared()) {
      int k = 100;
      int n = 70;
      Matrix reals = Matrix.allocate(DType.F32, k, n, arena);
      Matrix values = Matrix.allocate(DType.I8, k, n, arena);
      Matrix scales = Matrix.allocate(DType.F32, 1, n, arena);
      for (int j = 0; j < n; j++) {
        float largest = 0;
        for (int i = 0; i < k; i++) {
          float real = (float) random.nextDouble(-1 - j, 1 + j);
          reals.set(i, j, real);
          largest = Math.max(largest, Math.abs(real));
        }
        scales.set(0, j, largest / DType.LARGEST_INT8);
        for (int i = 0; i < k; i++) {
          values.set(i, j, reals.get(i, j) * (DType.LARGEST_INT8 / largest));
        }
      }
      Weights b = new Weights(values, scales);
      Int8Rows a = new Int8Rows(4, k, arena).fill(random);
      Matrix c = Matrix.allocate(DType.F32, 4, n, arena);
      Matrix source = layout == WeightLayout.IN_OUT ? reals : Exact.transposed(reals, arena);
      try (PackedWeights weights = kernel().pack(Int8Columns.rounding(source, layout));
          Product product =
              kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1))) {
        assertEquals(DType.I8, weights.type());
        multiply(product, a, c, 4);
        check(c, a, b, Epilogue.NONE);
      }
    }
  }

  /** A row with the scale NaN has NaN for all its results, and no other row has. */
  @Test
  void aRowThatIsNotANumber() {
    if (isRefused()) {
      return;
    }
    SplittableRandom random = new SplittableRandom(9);
    try (Arena arena = Arena.ofShared()) {
      Int8Rows a = new Int8Rows(3, 40, arena).fill(random);
      a.scale(1, Float.NaN);
      Weights b = Weights.random(40, 20, random, arena);
      Matrix c = Matrix.allocate(DType.F32, 3, 20, arena);
      try (PackedWeights weights = b.pack(kernel(), WeightLayout.IN_OUT, arena);
          Product product =
              kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1))) {
        multiply(product, a, c, 3);
        int[][] sums = sums(a, b, 3, 20);
        for (int column = 0; column < 20; column++) {
          assertTrue(Float.isNaN(c.get(1, column)), "row 1 is NaN");
          assertEquals(expected(a, b, sums, 2, column, Epilogue.NONE), c.get(2, column));
        }
      }
    }
  }

  /** Where a rank has no int8, all multiply in F32: off by no more than F32's roundings. */
  @ParameterizedTest
  @EnumSource(WeightLayout.class)
  void converted(WeightLayout layout) {
    SplittableRandom random = new SplittableRandom(11);
    for (DType output : List.of(DType.F32, DType.BF16)) {
      try (Arena arena = Arena.ofShared()) {
        // More inputs than are summed at a time.
        int k = output == DType.F32 ? 2100 : 300;
        Int8Rows a = new Int8Rows(70, k, arena).fill(random);
        Weights b = Weights.random(k, 40, random, arena);
        Matrix c = Matrix.allocate(output, 70, 40, arena).fill(Float.NaN);
        Matrix values = layout == WeightLayout.IN_OUT ? b.inOut : Exact.transposed(b.inOut, arena);
        try (PackedWeights weights =
                kernel().packConverted(Int8Columns.of(values, b.scales, layout));
            Product product =
                kernel().product(weights, new ProductSpec(output, Epilogue.NONE, 1))) {
          assertEquals(DType.I8, weights.type());
          assertEquals(layout, weights.layout());
          multiply(product, a, c, 70);
        }
        checkNear(c, a, b, output == DType.F32 ? 0 : 0x1p-8);
      }
    }
  }

  /** Whatever rows they are computed with, and with a bias and an activation, too. */
  @Test
  void convertedBitsDoNotDependOnTheHeight() {
    SplittableRandom random = new SplittableRandom(13);
    for (int[] shape : new int[][] {{130, 3, 65}, {130, 53, 131}, {200, 300, 600}, {70, 2048, 1}}) {
      try (Arena arena = Arena.ofShared()) {
        Int8Rows a = new Int8Rows(shape[0], shape[1], arena).fill(random);
        Weights b = Weights.random(shape[1], shape[2], random, arena);
        Matrix whole = Matrix.allocate(DType.F32, shape[0], shape[2], arena);
        Matrix cut = Matrix.allocate(DType.F32, shape[0], shape[2], arena);
        for (Epilogue epilogue : epilogues(shape[2], arena)) {
          try (PackedWeights weights =
                  kernel().packConverted(Int8Columns.of(b.inOut, b.scales, WeightLayout.IN_OUT));
              Product product =
                  kernel().product(weights, new ProductSpec(DType.F32, epilogue, 1))) {
            multiply(product, a, whole, shape[0]);
            for (long run : new long[] {1, 2, 5, 33, 64}) {
              cut.fill(Float.NaN);
              multiply(product, a, cut, run);
              assertEquals(
                  -1,
                  whole.memory().mismatch(cut.memory()),
                  "%d inputs, %d outputs, runs of %d".formatted(shape[1], shape[2], run));
            }
          }
        }
      }
    }
  }

  private static void checkNear(Matrix c, Int8Rows a, Weights b, double rounding) {
    long k = b.inOut.rows();
    for (long row = 0; row < c.rows(); row++) {
      for (long column = 0; column < c.columns(); column++) {
        double sum = 0;
        double magnitude = 0;
        double scale = (double) b.scales.get(0, column) * a.scale(row);
        for (long i = 0; i < k; i++) {
          double term = a.get(row, i) * b.inOut.get(i, column) * scale;
          sum += term;
          magnitude += Math.abs(term);
        }
        double allowed = (k + 4) * 0x1p-24 * magnitude + rounding * Math.abs(sum);
        double error = Math.abs(c.get(row, column) - sum);
        assertTrue(error <= allowed, "off by %s, not %s".formatted(error, allowed));
      }
    }
  }

  @Test
  void integersNeedTheirScales() {
    try (Arena arena = Arena.ofShared()) {
      Matrix values = Matrix.allocate(DType.I8, 4, 3, arena);
      assertThrows(
          IllegalArgumentException.class, () -> Int8Columns.rounding(values, WeightLayout.IN_OUT));
      assertThrows(
          IllegalArgumentException.class, () -> kernel().pack(values, WeightLayout.IN_OUT).close());
      Matrix few = Matrix.allocate(DType.F32, 1, 2, arena);
      assertThrows(
          IllegalArgumentException.class, () -> Int8Columns.of(values, few, WeightLayout.IN_OUT));
    }
  }
}
