// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Tuning;
import java.util.function.Function;

/**
 * Builder of an operator that sums: {@link ReduceScatter} or {@link AllReduce}.
 *
 * @param <T> the operator that it builds
 */
public final class SumBuilder<T extends Operator> {
  private final Workspace workspace;
  private final Function<SumBuilder<T>, T> build;
  private long columns;
  private DType type = DType.F32;
  private DType wireType = DType.F32;
  private Tuning tuning;

  SumBuilder(Workspace workspace, Function<SumBuilder<T>, T> build) {
    this.workspace = workspace;
    this.build = build;
    this.columns = workspace.maxColumns();
    this.tuning = workspace.tuning();
  }

  /** The columns of the sum; the most that the workspace holds, unless set. Any number. */
  public SumBuilder<T> columns(long value) {
    columns = value;
    return this;
  }

  /** The type of input and output: F32, which it is unless set, or another of reals. */
  public SumBuilder<T> type(DType value) {
    type = value;
    return this;
  }

  /** See {@link MatmulSumBuilder#wireType}. */
  public SumBuilder<T> wireType(DType value) {
    wireType = value;
    return this;
  }

  /** How the sums travel; the workspace's, unless set. The same on all ranks. */
  public SumBuilder<T> tuning(Tuning value) {
    tuning = value;
    return this;
  }

  /** Builds it. Collective: all ranks agree, or all throw. */
  public T build() {
    return build.apply(this);
  }

  <S extends SumOperator> S build(String name, boolean scattered, SumOperator.Maker<S> maker) {
    int rank = workspace.group().rank();
    return SumOperator.build(
        name,
        workspace,
        () -> problem(name, scattered),
        wireType,
        tuning,
        kind -> Addend.asGiven(rank, workspace.threads(), kind, type, wireType),
        maker);
  }

  private SumProblem problem(String name, boolean scattered) {
    if (!type.isReal()) {
      throw new IllegalArgumentException("%s adds F32, BF16 or F16, not %s".formatted(name, type));
    }
    return SumOperator.problem(columns, wireType, scattered, workspace.maxRows());
  }
}
