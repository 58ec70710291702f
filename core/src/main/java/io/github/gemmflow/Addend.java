// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.CopyWork;
import io.github.gemmflow.pipeline.compute.ProductWork;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumWork;
import io.github.gemmflow.plan.SumPlan;
import java.util.function.Function;

/**
 * Contribution of a rank to a sum, with what becomes of the sum and the resources that it takes.
 *
 * @param release lets go of what it takes
 */
record Addend(
    SumWork work, long inputColumns, DType inputType, DType outputType, Runnable release) {
  /** Rows as they are. */
  static Addend asGiven(Group group, SumKind kind, DType type, DType wire) {
    CopyWork copy = new CopyWork(type, parts(group, kind));
    long columns = kind.plan().problem().columns();
    return new Addend(new SumWork(copy, wire, null, false), columns, type, type, () -> {});
  }

  /**
   * Rows times weights.
   *
   * @param sum what becomes of the products
   */
  static Addend product(
      Workspace workspace,
      SumKind kind,
      PackedWeights weights,
      DType outputType,
      Function<RowWork, SumWork> sum) {
    weights.retain();
    Product product;
    try {
      ProductSpec spec = new ProductSpec(DType.F32, Epilogue.NONE, workspace.threads());
      product = weights.kernel().product(weights, spec);
    } catch (RuntimeException | Error e) {
      weights.release();
      throw e;
    }
    ProductWork multiply =
        new ProductWork(
            new Product[] {product}, new long[] {weights.outputs()}, workspace.threads());
    multiply.into(new Matrix[] {parts(workspace.group(), kind)});
    return new Addend(
        sum.apply(multiply),
        weights.inputs(),
        weights.type(),
        outputType,
        () -> {
          product.close();
          weights.release();
        });
  }

  /** Where this rank's partial sums go: a matrix of all slots, one below the other. */
  private static Matrix parts(Group group, SumKind kind) {
    SumPlan plan = kind.plan();
    return Matrix.wrap(
        kind.parts(group.rank()),
        DType.F32,
        plan.slots() * plan.tileRows(),
        plan.problem().columns());
  }

  void close() {
    release.run();
  }
}
