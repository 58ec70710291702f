// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.ConvertingProduct;
import io.github.gemmflow.pipeline.compute.CopyWork;
import io.github.gemmflow.pipeline.compute.ProductWork;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.plan.SumPlan;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Contribution of a rank to a sum, with what becomes of the sum and the resources that it takes.
 *
 * @param explainInputs says what is wrong with an input of so many columns, if that is known
 * @param release lets go of what it takes
 */
public record Addend(
    SumWork work,
    long inputColumns,
    DType inputType,
    DType outputType,
    LongFunction<String> explainInputs,
    Runnable release) {
  /**
   * Rows as they are.
   *
   * @param threads how many threads copy
   */
  public static Addend asGiven(int rank, int threads, SumKind kind, DType type, DType wire) {
    CopyWork copy = new CopyWork(type, parts(rank, kind), threads);
    long columns = kind.plan().problem().columns();
    return new Addend(
        new SumWork(copy, wire, Epilogue.NONE, false), columns, type, type, given -> "", () -> {});
  }

  /**
   * Rows times weights.
   *
   * @param threads how many threads multiply
   * @param inputType of the rows: that of the weights, or one of reals for weights in int8
   * @param sum what becomes of the products
   */
  public static Addend product(
      int rank,
      int threads,
      SumKind kind,
      PackedWeights weights,
      DType inputType,
      DType outputType,
      Function<RowWork, SumWork> sum) {
    PackedWeights.Use use = weights.use();
    Product product;
    try {
      ProductSpec spec = new ProductSpec(DType.F32, Epilogue.NONE, threads);
      Product plain = weights.product(spec);
      product =
          inputType == weights.type()
              ? plain
              : ConvertingProduct.rounding(plain, inputType, weights.inputs(), threads);
    } catch (RuntimeException | Error e) {
      use.close();
      throw e;
    }
    ProductWork multiply =
        new ProductWork(new Product[] {product}, new long[] {weights.outputs()}, threads);
    multiply.into(new Matrix[] {parts(rank, kind)});
    return new Addend(
        sum.apply(multiply),
        weights.inputs(),
        inputType,
        outputType,
        given -> ": " + weights.explainInputs(given),
        () -> {
          product.close();
          use.close();
        });
  }

  /** Where this rank's partial sums go: a matrix of all slots, one below the other. */
  private static Matrix parts(int rank, SumKind kind) {
    SumPlan plan = kind.plan();
    return Matrix.wrap(
        kind.parts(rank), DType.F32, plan.slots() * plan.tileRows(), plan.problem().columns());
  }

  /** Lets go of what it takes. */
  public void close() {
    release.run();
  }
}
