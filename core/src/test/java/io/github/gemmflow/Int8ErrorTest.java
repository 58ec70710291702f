// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of products of each type, for rows of different kinds: the table in the guide. */
class Int8ErrorTest {
  private static final int M = 24;
  private static final int K = 4096;
  private static final int N = 24;

  private static final List<DType> WIRES = List.of(DType.F32, DType.BF16, DType.I8);

  /** What rows are like, and how far a product in int8, or of rows that travel so, may be off. */
  enum Rows {
    GAUSSIAN(0.015, 0.008) {
      @Override
      double value(Random random, int column) {
        return random.nextGaussian();
      }
    },

    /** What the second half of a feed-forward layer takes. */
    GATED(0.035, 0.016) {
      @Override
      double value(Random random, int column) {
        double gate = random.nextGaussian();
        return gate / (1 + Math.exp(-gate)) * random.nextGaussian();
      }
    },

    /** Four columns are 30 times as large as the others. */
    WITH_OUTLIERS(0.11, 0.02) {
      @Override
      double value(Random random, int column) {
        return random.nextGaussian() * (column % 1024 == 7 ? 30 : 1);
      }
    };

    private final double most;
    private final double mostOnTheWire;

    Rows(double most, double mostOnTheWire) {
      this.most = most;
      this.mostOnTheWire = mostOnTheWire;
    }

    abstract double value(Random random, int column);

    Matrix matrix(Random random, int rows, int columns, Arena arena) {
      Matrix matrix = Matrix.allocate(DType.F32, rows, columns, arena);
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          matrix.set(row, column, (float) value(random, column));
        }
      }
      return matrix;
    }
  }

  @ParameterizedTest
  @EnumSource
  void relativeError(Rows rows) {
    Random random = new Random(1);
    try (Arena arena = Arena.ofShared();
        World world = World.single()) {
      Matrix a = rows.matrix(random, M, K, arena);
      Matrix b = Rows.GAUSSIAN.matrix(random, K, N, arena);
      double[][] exact = product(a, b);
      double inF32 = error(world, DType.F32, DType.F32, a, b, exact, arena);
      double inBf16 = error(world, DType.BF16, DType.BF16, a, b, exact, arena);
      double onTheWire = error(world, DType.F32, DType.I8, a, b, exact, arena);
      double inInt8 = error(world, DType.I8, DType.I8, a, b, exact, arena);
      System.out.printf(
          Locale.ROOT,
          "Int8ErrorTest: %s rows: F32 %.1e, BF16 %.4f, F32 that travels as I8 %.4f, I8 %.4f%n",
          rows,
          inF32,
          inBf16,
          onTheWire,
          inInt8);
      assertTrue(inF32 < 1e-5 && inBf16 < 0.004, "reals are much closer");
      assertTrue(inInt8 < rows.most, () -> inInt8 + ", not " + rows.most);
      assertTrue(onTheWire < rows.mostOnTheWire, () -> onTheWire + ", not " + rows.mostOnTheWire);
    }
  }

  /** Sums over hosts, each of which has a part of K. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void relativeErrorOfSums(int hosts) {
    double[] errors = new double[WIRES.size()];
    double[][] exact = new double[M][];
    LocalWorld.onHosts(IntStream.range(0, hosts).toArray())
        .config(Config.builder().threads(1).build())
        .run(
            world -> {
              Random random = new Random(1);
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(M).open()) {
                Matrix a = Rows.GAUSSIAN.matrix(random, M, K, arena);
                Matrix b = Rows.GAUSSIAN.matrix(random, K, 2 * RowFormat.BLOCK, arena);
                if (world.rank() == 0) {
                  System.arraycopy(product(a, b), 0, exact, 0, M);
                }
                long first = (long) K / hosts * world.rank();
                Matrix mine = a.columns(first, first + K / hosts);
                try (PackedWeights weights =
                    world.pack(b.rows(first, first + K / hosts), WeightLayout.IN_OUT)) {
                  for (int i = 0; i < errors.length; i++) {
                    Matrix c = Matrix.allocate(DType.F32, M, b.columns(), arena);
                    try (MatmulAllReduce sum =
                        MatmulAllReduce.on(space).weights(weights).wireType(WIRES.get(i)).build()) {
                      sum.run(mine, c);
                    }
                    if (world.rank() == 0) {
                      errors[i] = error(c, exact);
                    }
                  }
                }
              }
            });
    System.out.printf(
        Locale.ROOT,
        "Int8ErrorTest: sums over %d hosts: F32 %.1e, BF16 %.4f, I8 %.4f%n",
        hosts,
        errors[0],
        errors[1],
        errors[2]);
    assertTrue(errors[0] < 1e-5 && errors[1] < 0.003 && errors[2] < 0.01, "larger than measured");
  }

  /** The norm of all errors, divided by the norm of the product. */
  private static double error(
      World world, DType type, DType wire, Matrix a, Matrix b, double[][] exact, Arena arena) {
    Matrix c = Matrix.allocate(DType.F32, M, N, arena);
    try (Workspace space =
            Workspace.on(world.group()).rows(M).columns(K).type(type).wireType(wire).open();
        PackedWeights weights = world.pack(b, WeightLayout.IN_OUT, type);
        AllGatherMatmul operator = AllGatherMatmul.on(space).output(weights).build()) {
      operator.run(a, c);
    }
    return error(c, exact);
  }

  private static double error(Matrix c, double[][] exact) {
    double errors = 0;
    double squares = 0;
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < c.columns(); j++) {
        errors += Math.pow(c.get(i, j) - exact[i][j], 2);
        squares += exact[i][j] * exact[i][j];
      }
    }
    return Math.sqrt(errors / squares);
  }

  /** In doubles. */
  private static double[][] product(Matrix a, Matrix b) {
    double[][] sums = new double[M][(int) b.columns()];
    double[] row = new double[(int) b.columns()];
    for (int k = 0; k < K; k++) {
      for (int j = 0; j < row.length; j++) {
        row[j] = b.get(k, j);
      }
      for (int i = 0; i < M; i++) {
        double factor = a.get(i, k);
        for (int j = 0; j < row.length; j++) {
          sums[i][j] += factor * row[j];
        }
      }
    }
    return sums;
  }
}
