// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.sum.SumKind;

/**
 * Sets up an operator that sums: {@link ReduceScatter} or {@link AllReduce}.
 *
 * @param <T> which
 */
public final class SumBuilder<T extends Summing> extends SumOptions<T, SumBuilder<T>> {
  private long columns;
  private DType type = DType.F32;

  SumBuilder(Workspace workspace, String name, boolean scattered, SumCall.Maker<T> maker) {
    super(workspace, name, scattered, maker);
    this.columns = workspace.maxColumns();
  }

  /** The columns of the sum; the most that the workspace holds, unless set. Any number. */
  public SumBuilder<T> columns(long value) {
    columns = value;
    return this;
  }

  /** The type of input and output: F32, which it is unless set, or any other. */
  public SumBuilder<T> type(DType value) {
    type = value;
    return this;
  }

  @Override
  SumBuilder<T> self() {
    return this;
  }

  @Override
  long columns() {
    return columns;
  }

  @Override
  Addend addend(SumKind kind) {
    return Addend.asGiven(workspace().group(), kind, type, wireType());
  }
}
