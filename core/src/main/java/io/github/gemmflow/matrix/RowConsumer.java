// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

/**
 * Consumer of rows of a matrix that come in piece by piece, such as a norm, a quantiser or a
 * product of the caller's own. Several threads may call it at the same time, each with rows of its
 * own.
 */
@FunctionalInterface
public interface RowConsumer {
  /**
   * Works on the rows from {@code first} to before {@code end}.
   *
   * @param rows these rows, and no others, so that its row 0 is {@code first}: read-only, and valid
   *     only during the call
   * @param thread who calls, from 0: no two calls at a time have the same, so that each thread can
   *     have memory of its own
   */
  void accept(long first, long end, Matrix rows, int thread);
}
