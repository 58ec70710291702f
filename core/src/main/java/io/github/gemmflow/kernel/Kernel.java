// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/**
 * A compute library, as the compute lane needs it. Implementations are thread-safe, and keep these
 * promises, which {@code KernelContract} in the test artifact checks:
 *
 * <ul>
 *   <li>integer-valued inputs whose products and sums a float holds exactly give the exact product;
 *   <li>an element of C has the same bits whatever rows and columns it is computed together with.
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
   * @param weights {@code k x n} or {@code n x k}, as {@code layout} says
   */
  PackedWeights pack(Matrix weights, WeightLayout layout);

  /** The same for weights of another type, which are rounded to it first. */
  default PackedWeights pack(Matrix weights, WeightLayout layout, DType type) {
    if (weights.type() == type) {
      return pack(weights, layout);
    }
    try (Arena arena = Arena.ofConfined()) {
      Matrix converted = Matrix.allocate(type, weights.rows(), weights.columns(), arena);
      return pack(converted.copyFrom(weights), layout);
    }
  }

  /** Prepares {@code C = A x B} for weights that this kernel packed. A has their type. */
  Product product(PackedWeights weights, ProductSpec spec);
}
