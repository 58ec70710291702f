// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace;

/**
 * Something that a thread did.
 *
 * @param thread the number of the compute thread, or {@link #COMM}
 * @param begin when, by {@link System#nanoTime} of its process
 * @param end when it was over; the same for what takes no time
 * @param firstRow the first row of A that it was about
 * @param rows how many rows it was about; 0 if it was about none in particular
 */
public record Span(Kind kind, int thread, long begin, long end, long firstRow, long rows) {
  /** The thread that talks to the engine. */
  public static final int COMM = -1;

  /** The same on another thread. */
  public Span onThread(int other) {
    return new Span(kind, other, begin, end, firstRow, rows);
  }

  /** What can be done. */
  public enum Kind {
    /** Rows were worked on. */
    WORK,

    /** Partial sums were added up. */
    ADD,

    /** Nothing was ready. */
    WAIT,

    /** Transfers were started or found to be complete. */
    TRANSFER,

    /** Rows from another host were found to be there. */
    ARRIVAL
  }
}
