// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.SumKind;

/**
 * Operator that sums what all ranks give, {@code X_0 + X_1 + ...}, and gives each rank its own rows
 * of the sum.
 */
public final class ReduceScatter extends SumOperator {
  private ReduceScatter(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /** Starts to build one on a workspace. */
  public static SumBuilder<ReduceScatter> on(Workspace workspace) {
    return new SumBuilder<>(
        workspace, builder -> builder.build("ReduceScatter", true, ReduceScatter::new));
  }

  @Override
  public String toString() {
    return "ReduceScatter of %d columns".formatted(columns());
  }
}
