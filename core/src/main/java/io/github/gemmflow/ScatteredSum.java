// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.sum.SumKind;
import java.util.Arrays;

/** A sum of which each rank gets its own rows. */
public abstract sealed class ScatteredSum extends Summing
    permits MatmulReduceScatter, ReduceScatter {
  ScatteredSum(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /**
   * One step, of which every rank knows how many rows each gets. Collective; blocks, and works in
   * the calling thread.
   *
   * @param rowsPerRank the rows of the sum that each rank gets, in the order of ranks
   * @param a what this rank adds: all rows. Like {@code c} in shared memory, if there are several
   *     compute threads
   * @param c where this rank's rows of the sum go
   * @throws IllegalArgumentException if a matrix or the counts do not fit; nothing has happened
   *     then
   * @throws io.github.gemmflow.failure.GemmflowException if not all sums arrived in time, or the
   *     ranks cannot go on together
   */
  public final void run(long[] rowsPerRank, Matrix a, Matrix c) {
    check(rowsPerRank, a, c, false);
    execute(knowing(this, rowsPerRank), a, c);
  }

  /**
   * The same for ranks of which each knows only its own rows: as many as {@code c} has. Costs one
   * small message to each other host first. Collective.
   */
  public final void run(Matrix a, Matrix c) {
    check(a, a.rows(), c, c.rows(), false);
    execute(asking(this, c.rows()), a, c);
  }

  /** Like {@link #run(long[], Matrix, Matrix)}, but in a thread of the workspace. Collective. */
  public final RunHandle start(long[] rowsPerRank, Matrix a, Matrix c) {
    check(rowsPerRank, a, c, true);
    return executeInBackground(knowing(this, rowsPerRank), a, c);
  }

  private void check(long[] rowsPerRank, Matrix a, Matrix c, boolean byOtherThreads) {
    checkCounts(rowsPerRank);
    long mine = rowsPerRank[workspace().group().rank()];
    check(a, Arrays.stream(rowsPerRank).sum(), c, mine, byOtherThreads);
  }
}
