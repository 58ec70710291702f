// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

/** Memory layout of a weight matrix before it is packed. */
public enum WeightLayout {
  /** {@code n x k}, one row per output feature, as checkpoints store linear layers. */
  OUT_IN,
  /** {@code k x n}, one row per input feature: the matrix {@code B} of {@code C = A x B}. */
  IN_OUT;

  /** The other one. */
  WeightLayout other() {
    return this == OUT_IN ? IN_OUT : OUT_IN;
  }
}
