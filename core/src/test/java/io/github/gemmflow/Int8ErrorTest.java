// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors of products of each type, for rows of different kinds: the table in the guide. */
class Int8ErrorTest {
  private static final int M = 24;
  private static final int K = 4096;
  private static final int N = 24;

  /** What rows are like, and how far a product in int8 may be off. */
  enum Rows {
    GAUSSIAN(0.015) {
      @Override
      double value(Random random, int column) {
        return random.nextGaussian();
      }
    },

    /** What the second half of a feed-forward layer takes. */
    GATED(0.035) {
      @Override
      double value(Random random, int column) {
        double gate = random.nextGaussian();
        return gate / (1 + Math.exp(-gate)) * random.nextGaussian();
      }
    },

    /** Four columns are 30 times as large as the others. */
    WITH_OUTLIERS(0.11) {
      @Override
      double value(Random random, int column) {
        return random.nextGaussian() * (column % 1024 == 7 ? 30 : 1);
      }
    };

    private final double most;

    Rows(double most) {
      this.most = most;
    }

    abstract double value(Random random, int column);
  }

  @ParameterizedTest
  @EnumSource
  void relativeError(Rows rows) {
    Random random = new Random(1);
    try (Arena arena = Arena.ofShared();
        World world = World.single()) {
      Matrix a = Matrix.allocate(DType.F32, M, K, arena);
      Matrix b = Matrix.allocate(DType.F32, K, N, arena);
      for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++) {
          a.set(i, k, (float) rows.value(random, k));
        }
        for (int j = 0; j < N; j++) {
          b.set(k, j, (float) random.nextGaussian());
        }
      }
      double inF32 = error(world, DType.F32, a, b, arena);
      double inBf16 = error(world, DType.BF16, a, b, arena);
      double inInt8 = error(world, DType.I8, a, b, arena);
      System.out.printf(
          Locale.ROOT,
          "Int8ErrorTest: %s rows: F32 %.1e, BF16 %.4f, I8 %.4f%n",
          rows,
          inF32,
          inBf16,
          inInt8);
      assertTrue(inF32 < 1e-5 && inBf16 < 0.004, "reals are much closer");
      assertTrue(inInt8 < rows.most, () -> inInt8 + ", not " + rows.most);
    }
  }

  /** The norm of all errors, divided by the norm of the product. */
  private static double error(World world, DType type, Matrix a, Matrix b, Arena arena) {
    Matrix c = Matrix.allocate(DType.F32, M, N, arena);
    try (Workspace space = Workspace.on(world.group()).rows(M).columns(K).type(type).open();
        PackedWeights weights = world.pack(b, WeightLayout.IN_OUT, type);
        AllGatherMatmul operator = AllGatherMatmul.on(space).output(weights).build()) {
      operator.run(a, c);
    }
    double errors = 0;
    double squares = 0;
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = 0; k < K; k++) {
          sum += (double) a.get(i, k) * b.get(k, j);
        }
        errors += Math.pow(c.get(i, j) - sum, 2);
        squares += sum * sum;
      }
    }
    return Math.sqrt(errors / squares);
  }
}
