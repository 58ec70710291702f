// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.SumKind;

/**
 * Operator that sums what all ranks give, {@code X_0 + X_1 + ...}, and gives the sum to all of
 * them, in the same bits: made for few rows, as in decoding. Every host sends its sum to each other
 * one; for many rows on more than two hosts a {@link ReduceScatter} and an {@link AllGather} send
 * less.
 */
public final class AllReduce extends SumOperator {
  private AllReduce(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number, kind, addend);
  }

  /** Starts to build one on a workspace. */
  public static SumBuilder<AllReduce> on(Workspace workspace) {
    return new SumBuilder<>(
        workspace, builder -> builder.build("AllReduce", false, AllReduce::new));
  }

  @Override
  public String toString() {
    return "AllReduce of %d columns".formatted(columns());
  }
}
