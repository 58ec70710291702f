// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Product of a matrix whose rows are spread over the ranks. Rows travel around a ring of hosts, and
 * each rank multiplies them as they arrive; then it checks its result against a plain product.
 *
 * <p>{@code examples/run Ring 4} runs four ranks as threads, each on a simulated host of its own;
 * {@code mpirun -n 4 examples/run Ring} runs them as processes.
 */
final class Ring {
  /** Rows of A that each rank has, columns of A, and columns of C that each rank computes. */
  private static final long ROWS = 64;

  private static final int K = 256;
  private static final int N = 96;

  /** Sums of K products in F32 are nearer to the exact ones than this. */
  private static final double CLOSE = 1e-5;

  private Ring() {}

  public static void main(String[] arguments) {
    if (arguments.length > 0) {
      int ranks = Integer.parseInt(arguments[0]);
      LocalWorld.onHosts(IntStream.range(0, ranks).toArray()).run(Ring::run);
    } else {
      World.run(Ring::run);
    }
  }

  /** What each rank does. */
  static void run(World world) {
    int ranks = world.size();
    int rank = world.rank();
    // On one host there is no ring: ranks read each other's rows where they lie.
    Tuning ring = Tuning.DEFAULT.withSchedule(Schedule.RING).withChunkRows(16);
    try (Arena arena = Arena.ofShared();
        // Memory for up to so many rows, which ranks of one host share. Collective.
        Workspace space =
            Workspace.on(world.group()).rows(ROWS * ranks).columns(K).tuning(ring).open();
        // This rank's columns of the weights, once in the layout that the kernel likes best.
        PackedWeights weights = world.pack(weights(rank, arena), WeightLayout.IN_OUT);
        AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build()) {
      Matrix c = Matrix.allocate(DType.F32, ROWS * ranks, N, arena);
      // A step: all ranks know how many rows each gives.
      try (Step step = linear.begin(RowCounts.equal(ranks, ROWS))) {
        fill(step.input(), step.firstRow());
        if (rank == 0) {
          System.out.println(step.describe());
        }
        // Own rows are multiplied first, then those of the others, as the ring brings them.
        step.run(c);
      }
      double error = relativeError(c, rank);
      String verdict = error < CLOSE ? "PASS" : "FAIL";
      System.out.println(
          String.format(Locale.ROOT, "rank %d: %s, relative error %.2g", rank, verdict, error));
      if (error >= CLOSE) {
        throw new IllegalStateException("rank %d: wrong results".formatted(rank));
      }
    }
  }

  /** The element of A in a row and a column: any function that all ranks know will do. */
  private static float a(long row, long column) {
    return (float) Math.sin(row * 31.0 + column * 17.0);
  }

  /** The element of a rank's columns of the weights. */
  private static float b(int rank, long row, long column) {
    return (float) Math.cos(row * 13.0 + column * 7.0 + rank);
  }

  private static void fill(Matrix rows, long firstRow) {
    for (long row = 0; row < rows.rows(); row++) {
      for (long column = 0; column < K; column++) {
        rows.set(row, column, a(firstRow + row, column));
      }
    }
  }

  private static Matrix weights(int rank, Arena arena) {
    Matrix weights = Matrix.allocate(DType.F32, K, N, arena);
    for (long row = 0; row < K; row++) {
      for (long column = 0; column < N; column++) {
        weights.set(row, column, b(rank, row, column));
      }
    }
    return weights;
  }

  /** The norm of the difference to a product in double precision, as a share of its norm. */
  private static double relativeError(Matrix c, int rank) {
    double difference = 0;
    double norm = 0;
    for (long row = 0; row < c.rows(); row++) {
      for (long column = 0; column < N; column++) {
        double expected = 0;
        for (long k = 0; k < K; k++) {
          expected += (double) a(row, k) * b(rank, k, column);
        }
        difference += Math.pow(c.get(row, column) - expected, 2);
        norm += expected * expected;
      }
    }
    return Math.sqrt(difference / norm);
  }
}
