// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

/**
 * The most bytes of one message. MPI counts in ints, so there must be one; lowered, it shows that
 * blocks beyond it travel in pieces.
 */
final class MessageLimit {
  /** Sets it, for all ranks alike. */
  static final String PROPERTY = "gemmflow.mpi.message.limit";

  private static final String VARIABLE = "GEMMFLOW_MPI_MESSAGE_LIMIT";
  private static final long MOST = 1L << 30;

  private MessageLimit() {}

  static long get() {
    String variable = System.getenv().getOrDefault(VARIABLE, Long.toString(MOST));
    String text = System.getProperty(PROPERTY, variable);
    try {
      long limit = Long.parseLong(text.strip());
      if (limit >= 1 && limit <= MOST) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number that is out of range.
    }
    throw new IllegalArgumentException(
        "%s=%s: expected a number of bytes from 1 to %d".formatted(PROPERTY, text, MOST));
  }
}
