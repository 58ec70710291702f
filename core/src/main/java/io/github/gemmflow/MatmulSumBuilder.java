// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.SumWork;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * Sets up an operator that multiplies and sums: {@link MatmulReduceScatter} or {@link
 * MatmulAllReduce}.
 *
 * @param <T> which
 */
public final class MatmulSumBuilder<T extends Summing> {
  private final Workspace workspace;
  private final String name;
  private final boolean scattered;
  private final SumCall.Maker<T> maker;
  private @Nullable PackedWeights weights;
  private DType outputType = DType.F32;
  private DType wireType = DType.F32;
  private float @Nullable [] bias;
  private boolean onto;
  private Tuning tuning;

  MatmulSumBuilder(Workspace workspace, String name, boolean scattered, SumCall.Maker<T> maker) {
    this.workspace = workspace;
    this.name = name;
    this.scattered = scattered;
    this.maker = maker;
    this.tuning = workspace.tuning();
  }

  /**
   * This rank's weights {@code B_r}, from {@link World#pack}. The number of inputs may differ from
   * rank to rank; the number of outputs is the same.
   */
  public MatmulSumBuilder<T> weights(PackedWeights value) {
    weights = value;
    return this;
  }

  /** The type of the output: F32, which it is unless set, or that of A. */
  public MatmulSumBuilder<T> outputType(DType value) {
    outputType = value;
    return this;
  }

  /**
   * Adds a bias to the sum, once: every rank that gets rows gives the same values.
   *
   * @param values one row, with one value for each column of the sum; copied
   */
  public MatmulSumBuilder<T> bias(Matrix values) {
    if (values.rows() != 1) {
      throw new IllegalArgumentException("a bias is one row, not " + values);
    }
    bias = values.toFloats();
    return this;
  }

  /**
   * Adds the sum to what the output holds, as a residual connection does, instead of replacing it.
   */
  public MatmulSumBuilder<T> addToOutput() {
    onto = true;
    return this;
  }

  /**
   * The type in which partial sums travel between hosts: F32, unless set, or BF16, which halves the
   * bytes and rounds each host's sum once. An element is then off by at most {@code 2^-8} times the
   * sum of the magnitudes of the hosts' sums, beside the error of F32. The same on all ranks.
   */
  public MatmulSumBuilder<T> wireType(DType value) {
    wireType = value;
    return this;
  }

  /** How the sums travel; the workspace's, unless set. The same on all ranks. */
  public MatmulSumBuilder<T> tuning(Tuning value) {
    tuning = value;
    return this;
  }

  /** Builds it. Collective: all ranks agree, or all throw. */
  public T build() {
    return SumCall.build(
        name,
        workspace,
        () -> new SumProblem(check().outputs(), wireType.bytes(), scattered, workspace.maxRows()),
        wireType,
        tuning,
        space ->
            Addend.product(
                workspace,
                space,
                check(),
                outputType,
                work -> new SumWork(work, wireType, bias, onto)),
        maker);
  }

  private PackedWeights check() {
    PackedWeights packed = weights;
    if (packed == null) {
      throw new IllegalArgumentException(name + " needs weights: call weights(...)");
    }
    if (packed.type() != workspace.type()) {
      throw new IllegalArgumentException(
          "the workspace is for %s, the weights are %s".formatted(workspace.type(), packed));
    }
    if (outputType != DType.F32 && outputType != workspace.type()) {
      throw new IllegalArgumentException(
          "the output is F32 or %s, not %s".formatted(workspace.type(), outputType));
    }
    float[] values = bias;
    if (values != null && values.length != packed.outputs()) {
      throw new IllegalArgumentException(
          "a bias of %d values does not fit a sum with %d columns"
              .formatted(values.length, packed.outputs()));
    }
    return packed;
  }
}
