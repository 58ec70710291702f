// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.SumSpace;

/**
 * Sums what all ranks give, {@code X_0 + X_1 + ...}, and gives the sum to all of them, in the same
 * bits: made for few rows, as in decoding.
 */
public final class AllReduce extends Summing {
  private AllReduce(Workspace workspace, int number, SumSpace space, Addend addend) {
    super(workspace, number, space, addend);
  }

  /** Starts to build one on a workspace. */
  public static SumBuilder<AllReduce> on(Workspace workspace) {
    return new SumBuilder<>(workspace, "AllReduce", false, AllReduce::new);
  }

  @Override
  public String toString() {
    return "AllReduce of %d columns".formatted(columns());
  }

  /**
   * One step. Collective; blocks, and works in the calling thread.
   *
   * @param x what this rank adds. Like {@code y} in shared memory, if there are several compute
   *     threads
   * @param y where the sum goes; may be {@code x} itself
   * @throws IllegalArgumentException if a matrix does not fit; nothing has happened then
   * @throws io.github.gemmflow.failure.GemmflowException if not all sums arrived in time, or the
   *     ranks cannot go on together
   */
  public void run(Matrix x, Matrix y) {
    check(x, x.rows(), y, x.rows(), false);
    execute(knowing(this, sameForAll(x.rows())), x, y);
  }

  /** Like {@link #run}, but in a thread of the workspace. Collective. */
  public RunHandle start(Matrix x, Matrix y) {
    check(x, x.rows(), y, x.rows(), true);
    return executeInBackground(knowing(this, sameForAll(x.rows())), x, y);
  }
}
