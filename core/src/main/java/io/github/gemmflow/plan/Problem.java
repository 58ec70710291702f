// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * What is to be gathered.
 *
 * @param rowBytes bytes in a row of A
 * @param maxRows the most rows of A, over all ranks, that a step may have
 */
public record Problem(long rowBytes, long maxRows) {
  public Problem {
    if (rowBytes < 0 || maxRows < 0) {
      throw new IllegalArgumentException(
          "cannot gather %d rows of %d bytes".formatted(maxRows, rowBytes));
    }
  }
}
