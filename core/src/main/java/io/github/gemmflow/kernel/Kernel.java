// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/**
 * Compute library that operators multiply with. Programs pack weights with {@code World.pack},
 * which converts and rounds them as it was asked to; the methods here do what a kernel does.
 * Implementations are thread-safe, and keep these promises, which {@code KernelContract} in the
 * test artifact checks:
 *
 * <ul>
 *   <li>integer-valued inputs whose products and sums a float holds exactly give the exact product;
 *   <li>an element of C has the same bits whatever rows and columns it is computed together with;
 *   <li>int8 products are sums of int32, rounded to F32, times the scale of the column, times the
 *       scale of the row, so they have the same bits in every kernel.
 * </ul>
 */
public interface Kernel {
  /** A short name for logs and for {@code gemmflow.kernel}. */
  String name();

  /** What it multiplies with, such as "AVX-512", for a person. */
  String instructions();

  /**
   * Packs weights for this kernel. Local; the source may be freed afterwards.
   *
   * @param weights {@code k x n} or {@code n x k}, as {@code layout} says; of reals
   */
  PackedWeights pack(Matrix weights, WeightLayout layout);

  /** For {@link #pack(Matrix, WeightLayout)}: throws unless weights are reals. */
  static void checkReals(Matrix weights) {
    if (!weights.type().isReal()) {
      throw new IllegalArgumentException(
          "weights of %s require their scales: pass both".formatted(weights.type()));
    }
  }

  /** Whether sums of products in int8 are exact on this machine. */
  boolean hasInt8();

  /**
   * Packs weights in int8, of up to 65,536 inputs, to be multiplied in int8. Local; the source may
   * be freed afterwards. Only if {@link #hasInt8}.
   */
  PackedWeights pack(Int8Columns weights);

  /** Packs weights in int8 to be multiplied, with rows in int8, in F32. */
  PackedWeights packConverted(Int8Columns weights);

  /** Packs weights of reals as another type of reals, to which they are rounded first. */
  default PackedWeights pack(Matrix weights, WeightLayout layout, DType type) {
    checkReals(weights);
    if (weights.type() == type) {
      return pack(weights, layout);
    }
    try (Arena arena = Arena.ofConfined()) {
      Matrix converted = Matrix.allocate(type, weights.rows(), weights.columns(), arena);
      return pack(converted.copyFrom(weights), layout);
    }
  }

  /**
   * Prepares {@code C = A x B} for weights that this kernel packed. A has their type; rows of int8
   * have their scales behind them, as {@link io.github.gemmflow.matrix.RowFormat} says.
   */
  Product product(PackedWeights weights, ProductSpec spec);
}
