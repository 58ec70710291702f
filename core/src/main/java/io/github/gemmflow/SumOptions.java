// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Tuning;

/**
 * Options of every operator that sums.
 *
 * @param <T> the operator
 * @param <B> what builds it
 */
public abstract sealed class SumOptions<T extends Summing, B extends SumOptions<T, B>>
    permits MatmulSumBuilder, SumBuilder {
  private final Workspace workspace;
  private final String name;
  private final boolean scattered;
  private final SumCall.Maker<T> maker;
  private DType wireType = DType.F32;
  private Tuning tuning;

  SumOptions(Workspace workspace, String name, boolean scattered, SumCall.Maker<T> maker) {
    this.workspace = workspace;
    this.name = name;
    this.scattered = scattered;
    this.maker = maker;
    this.tuning = workspace.tuning();
  }

  /**
   * The type in which partial sums travel between hosts: F32, unless set, or BF16, which halves the
   * bytes and rounds each host's sum once. An element is then off by at most {@code 2^-8} times the
   * sum of the magnitudes of the hosts' sums, beside the error of F32. The same on all ranks.
   */
  public final B wireType(DType value) {
    wireType = value;
    return self();
  }

  /** How the sums travel; the workspace's, unless set. The same on all ranks. */
  public final B tuning(Tuning value) {
    tuning = value;
    return self();
  }

  /** Builds it. Collective: all ranks agree, or all throw. */
  public final T build() {
    return SumCall.build(
        name,
        workspace,
        () -> new SumProblem(columns(), wireType.bytes(), scattered, workspace.maxRows()),
        wireType,
        tuning,
        this::addend,
        maker);
  }

  abstract B self();

  /** The columns of the sum; throws if something that is chosen does not fit. */
  abstract long columns();

  /** What this rank adds. */
  abstract Addend addend(SumKind kind);

  final Workspace workspace() {
    return workspace;
  }

  final String name() {
    return name;
  }

  final DType wireType() {
    return wireType;
  }
}
