// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.KernelCosts;

/**
 * Rule for the number of rows that are computed together, unless it is asked for. A product of few
 * rows reads all weights for little work. But between hosts the network waits for the first tile,
 * and, where all ranks want all rows, everybody for the sums of the last one.
 */
final class TileRule {
  /** Rows of a tile are a multiple of this, which kernels like. */
  private static final long UNIT = 64;

  /** Between hosts, a tile has no more bytes, unless those are fewer rows than a unit. */
  private static final long MOST_BYTES = 4 << 20;

  private static final long MOST_ROWS = 512;

  /**
   * On one host nobody waits for a tile until the end, and tall ones are faster. Measured with
   * oneDNN on AMX, 2 ranks, 4096 x 2048 x 4096 each: with 256 rows a step takes 1.4 times as long
   * as the product alone, with 1024 rows 1.15, with 2048 rows 1.1.
   */
  private static final long MOST_ROWS_ON_ONE_HOST = 2048;

  private static final long MOST_BYTES_ON_ONE_HOST = 32 << 20;

  private TileRule() {}

  static Rules.Choice<Long> rows(SumProblem problem, Hosts hosts, CostModel costs) {
    if (hosts.count() == 1) {
      return new Rules.Choice<>(
          most(problem, MOST_BYTES_ON_ONE_HOST, MOST_ROWS_ON_ONE_HOST),
          "tall tiles are computed faster, and on one host no rank waits for the first");
    }
    long most = most(problem, MOST_BYTES, MOST_ROWS);
    if (problem.scattered()) {
      return new Rules.Choice<>(
          most,
          "at most %d bytes: other hosts wait for the first tile, but none for the last, which stays on this host"
              .formatted(MOST_BYTES));
    }
    long best = most;
    double bestTime = time(problem.maxRows(), costs, best);
    for (long rows = UNIT; rows < most; rows *= 2) {
      double time = time(problem.maxRows(), costs, rows);
      if (time < bestTime) {
        best = rows;
        bestTime = time;
      }
    }
    return new Rules.Choice<>(
        best,
        "predicted to be the best if %d rows take as long between hosts as their product: other hosts wait for the last, and products of fewer rows are slower"
            .formatted(problem.maxRows()));
  }

  private static long most(SumProblem problem, long bytes, long mostRows) {
    long rowBytes = Math.max(1, problem.partialRowBytes());
    long rows = Math.clamp(bytes / rowBytes / UNIT * UNIT, UNIT, mostRows);
    return Math.clamp(rows, 1, Math.max(1, problem.maxRows()));
  }

  /**
   * The time of the largest step if its sums are as long on their way as its product in one piece
   * takes, in units of that: all products, and the part of the way beside which nothing is
   * computed.
   */
  private static double time(long maxRows, CostModel costs, long tile) {
    long rows = Math.max(1, maxRows);
    long whole = rows / tile;
    double slowest = 1;
    for (KernelCosts kernel : costs.kernels().values()) {
      for (long elements : kernel.sizes()) {
        double tiles =
            whole * kernel.nanos(tile, elements, 1) + kernel.nanos(rows % tile, elements, 1);
        slowest = Math.max(slowest, tiles / kernel.nanos(rows, elements, 1));
      }
    }
    return slowest + (double) Math.min(tile, rows) / rows;
  }
}
