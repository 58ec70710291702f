// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.SumKind;

/**
 * Operator that multiplies and sums over the ranks, all of which get the whole sum {@code A_0 x B_0
 * + A_1 x B_1 + ...}: for few rows, as in decoding, where every rank goes on with all of them. Each
 * rank gets the same bits.
 */
public final class MatmulAllReduce extends SumOperator {
  private MatmulAllReduce(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /** Starts to build one on a workspace. */
  public static MatmulSumBuilder<MatmulAllReduce> on(Workspace workspace) {
    return new MatmulSumBuilder<>(
        workspace, builder -> builder.build("MatmulAllReduce", false, MatmulAllReduce::new));
  }

  @Override
  public String toString() {
    return "MatmulAllReduce of %d columns".formatted(columns());
  }
}
