// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.Block;

/** One prepared product {@code C = epilogue(A x B)}. */
public interface Product extends AutoCloseable {
  /** A block of columns should start at a multiple of this. */
  int columnGranularity();

  /** Rows below which a call costs nearly as much as one with this many. */
  int worthwhileRows();

  /**
   * Multiplies rows of A with a range of columns of B.
   *
   * @param thread who calls: at least 0, less than the thread count, and no two at a time the same
   * @param a rows of A, of {@code k} elements each
   * @param c as many rows of C; its row length says how many columns to compute
   * @param firstColumn the column of B that the first column of {@code c} belongs to
   */
  void multiply(int thread, Block a, Block c, long firstColumn);

  @Override
  void close();
}
