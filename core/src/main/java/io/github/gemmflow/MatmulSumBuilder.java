// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumWork;
import org.jspecify.annotations.Nullable;

/**
 * Sets up an operator that multiplies and sums: {@link MatmulReduceScatter} or {@link
 * MatmulAllReduce}.
 *
 * @param <T> which
 */
public final class MatmulSumBuilder<T extends Summing> extends SumOptions<T, MatmulSumBuilder<T>> {
  private @Nullable PackedWeights weights;
  private DType outputType = DType.F32;
  private float @Nullable [] bias;
  private boolean onto;

  MatmulSumBuilder(Workspace workspace, String name, boolean scattered, SumCall.Maker<T> maker) {
    super(workspace, name, scattered, maker);
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

  @Override
  MatmulSumBuilder<T> self() {
    return this;
  }

  @Override
  long columns() {
    return check().outputs();
  }

  @Override
  Addend addend(SumKind kind) {
    return Addend.product(
        workspace(), kind, check(), outputType, work -> new SumWork(work, wireType(), bias, onto));
  }

  private PackedWeights check() {
    PackedWeights packed = weights;
    if (packed == null) {
      throw new IllegalArgumentException(name() + " needs weights: call weights(...)");
    }
    if (packed.type() != workspace().type()) {
      throw new IllegalArgumentException(
          "the workspace is for %s, the weights are %s".formatted(workspace().type(), packed));
    }
    if (outputType != DType.F32 && outputType != workspace().type()) {
      throw new IllegalArgumentException(
          "the output is F32 or %s, not %s".formatted(workspace().type(), outputType));
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
