// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.SumSpace;

/**
 * Multiplies and sums over the ranks, all of which get the whole sum {@code A_0 x B_0 + A_1 x B_1 +
 * ...}: for few rows, as in decoding, where every rank goes on with all of them. Each rank gets the
 * same bits.
 */
public final class MatmulAllReduce extends Summing {
  private MatmulAllReduce(Workspace workspace, int number, SumSpace space, Addend addend) {
    super(workspace, number, space, addend);
  }

  /** Starts to build one on a workspace. */
  public static MatmulSumBuilder<MatmulAllReduce> on(Workspace workspace) {
    return new MatmulSumBuilder<>(workspace, "MatmulAllReduce", false, MatmulAllReduce::new);
  }

  @Override
  public String toString() {
    return "MatmulAllReduce of %d columns".formatted(columns());
  }

  /**
   * One step. Collective; blocks, and works in the calling thread.
   *
   * @param a what this rank adds. Like {@code c} in shared memory, if there are several compute
   *     threads
   * @param c where the sum goes
   * @throws IllegalArgumentException if a matrix does not fit; nothing has happened then
   * @throws io.github.gemmflow.failure.GemmflowException if not all sums arrived in time, or the
   *     ranks cannot go on together
   */
  public void run(Matrix a, Matrix c) {
    check(a, a.rows(), c, a.rows(), false);
    execute(knowing(this, sameForAll(a.rows())), a, c);
  }

  /** Like {@link #run}, but in a thread of the workspace. Collective. */
  public RunHandle start(Matrix a, Matrix c) {
    check(a, a.rows(), c, a.rows(), true);
    return executeInBackground(knowing(this, sameForAll(a.rows())), a, c);
  }
}
