// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.sum.SumKind;

/** A sum of which each rank gets all rows, in the same bits. */
public abstract sealed class WholeSum extends Summing permits AllReduce, MatmulAllReduce {
  WholeSum(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /**
   * One step. Collective; blocks, and works in the calling thread.
   *
   * @param a what this rank adds. Like {@code c} in shared memory, if there are several compute
   *     threads
   * @param c where the sum goes; of an {@link AllReduce}, it may be {@code a} itself
   * @throws IllegalArgumentException if a matrix does not fit; nothing has happened then
   * @throws io.github.gemmflow.failure.GemmflowException if not all sums arrived in time, or the
   *     ranks cannot go on together
   */
  public final void run(Matrix a, Matrix c) {
    check(a, a.rows(), c, a.rows(), false);
    execute(knowing(this, sameForAll(a.rows())), a, c);
  }

  /** Like {@link #run}, but in a thread of the workspace. Collective. */
  public final RunHandle start(Matrix a, Matrix c) {
    check(a, a.rows(), c, a.rows(), true);
    return executeInBackground(knowing(this, sameForAll(a.rows())), a, c);
  }
}
