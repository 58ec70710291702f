// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.SumKind;

/**
 * Operator that multiplies and sums over the ranks, each of which gets its own rows of the sum:
 * every rank gives {@code A_r} ({@code M x k_r}), has weights {@code B_r} ({@code k_r x N}), and
 * gets its rows of {@code A_0 x B_0 + A_1 x B_1 + ...}. The second half of a tensor-parallel layer,
 * where the inputs of the weights are spread over the ranks. Rows for other hosts are computed
 * first and leave while the others are computed.
 */
public final class MatmulReduceScatter extends SumOperator {
  private MatmulReduceScatter(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /** Starts to build one on a workspace. */
  public static MatmulSumBuilder<MatmulReduceScatter> on(Workspace workspace) {
    return new MatmulSumBuilder<>(
        workspace, builder -> builder.build("MatmulReduceScatter", true, MatmulReduceScatter::new));
  }

  @Override
  public String toString() {
    return "MatmulReduceScatter of %d columns".formatted(columns());
  }
}
