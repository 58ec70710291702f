// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * Matrix to be summed over the ranks of a group.
 *
 * @param columns the columns of the sum
 * @param wireRowBytes bytes of a row of a partial sum that travels between hosts
 * @param scattered whether each rank wants its own rows of the sum, and not all of them
 * @param maxRows the most rows that a step may have
 */
public record SumProblem(long columns, long wireRowBytes, boolean scattered, long maxRows) {
  /** Partial sums of the ranks of one host are floats. */
  private static final int PARTIAL_BYTES = Float.BYTES;

  public SumProblem {
    if (columns < 0 || maxRows < 0) {
      throw new IllegalArgumentException(
          "%d x %d elements cannot be summed".formatted(maxRows, columns));
    }
  }

  /** Bytes of a row of a rank's partial sums. */
  public long partialRowBytes() {
    return Math.multiplyExact(columns, (long) PARTIAL_BYTES);
  }
}
