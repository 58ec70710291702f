// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumWork;
import io.github.gemmflow.tuning.Tuning;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builder of an operator that multiplies and sums: {@link MatmulReduceScatter} or {@link
 * MatmulAllReduce}.
 *
 * @param <T> the operator that it builds
 */
public final class MatmulSumBuilder<T extends Operator> {
  private final Workspace workspace;
  private final Function<MatmulSumBuilder<T>, T> build;
  private @Nullable PackedWeights weights;
  private DType outputType = DType.F32;
  private @Nullable DType inputType;
  private Epilogue epilogue = Epilogue.NONE;
  private boolean onto;
  private DType wireType = DType.F32;
  private Tuning tuning;

  MatmulSumBuilder(Workspace workspace, Function<MatmulSumBuilder<T>, T> build) {
    this.workspace = workspace;
    this.build = build;
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

  /**
   * The type of A where weights are in int8, to which its rows are rounded: F32, unless set, or
   * another of reals. Where weights are reals, A is of their type.
   */
  public MatmulSumBuilder<T> inputType(DType value) {
    inputType = value;
    return this;
  }

  /** The type of the output: F32, which it is unless set, or that of A. */
  public MatmulSumBuilder<T> outputType(DType value) {
    outputType = value;
    return this;
  }

  /**
   * What is done with the sum, once: every rank that gets rows gives the same. Nothing, unless set.
   */
  public MatmulSumBuilder<T> epilogue(Epilogue value) {
    epilogue = value;
    return this;
  }

  /**
   * Adds the result to what the output holds, as a residual connection does, instead of replacing
   * it.
   */
  public MatmulSumBuilder<T> addToOutput() {
    onto = true;
    return this;
  }

  /**
   * The type in which partial sums travel between hosts: F32, unless set, or one in which each
   * host's sum is rounded once. BF16 halves the bytes; an element is then off by at most {@code
   * 2^-8} times the sum of the magnitudes of the hosts' sums, beside the error of F32. I8 takes
   * little more than a quarter of the bytes, in blocks of 128 columns with a scale each; an element
   * is then off by at most 1/253 of the sum, over the hosts, of the largest magnitude in its block.
   * The same on all ranks.
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
    return build.apply(this);
  }

  <S extends SumOperator> S build(String name, boolean scattered, SumOperator.Maker<S> maker) {
    return SumOperator.build(
        name,
        workspace,
        () -> SumOperator.problem(check(name).outputs(), wireType, scattered, workspace.maxRows()),
        wireType,
        tuning,
        kind -> addend(name, kind),
        maker);
  }

  private Addend addend(String name, SumKind kind) {
    return Addend.product(
        workspace.group().rank(),
        workspace.threads(),
        kind,
        check(name),
        inputType(check(name)),
        outputType,
        work -> new SumWork(work, wireType, epilogue, onto));
  }

  private DType inputType(PackedWeights packed) {
    DType given = inputType;
    if (given != null) {
      return given;
    }
    return packed.type().isReal() ? packed.type() : DType.F32;
  }

  private PackedWeights check(String name) {
    PackedWeights packed = weights;
    if (packed == null) {
      throw new IllegalArgumentException(name + " needs weights: call weights(...)");
    }
    DType type = packed.type();
    if (type.isReal() && type != workspace.type()) {
      throw new IllegalArgumentException(
          "the workspace is for %s, the weights are %s".formatted(workspace.type(), packed));
    }
    if (!inputType(packed).isReal() || (type.isReal() && inputType(packed) != type)) {
      throw new IllegalArgumentException(
          "A cannot be %s where weights are %s".formatted(inputType(packed), packed));
    }
    if (!outputType.isReal() || (outputType != DType.F32 && outputType != inputType(packed))) {
      throw new IllegalArgumentException(
          "the output is F32 or %s, not %s".formatted(inputType(packed), outputType));
    }
    epilogue.check(packed.outputs());
    return packed;
  }
}
