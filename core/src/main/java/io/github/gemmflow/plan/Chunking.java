// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * How many rows travel together.
 *
 * @param rows the rows of a chunk, or 0 to choose by rule
 */
public record Chunking(long rows) {
  /** Chunks by rule. */
  public static final Chunking BY_RULE = new Chunking(0);

  /**
   * The rule cuts a large route into 64 to 128 chunks. The reference kernel for Ascend found that
   * range: fewer and the product waits for the first chunk, more and signalling costs show.
   */
  private static final long MOST_CHUNKS = 128;

  /** A message of fewer bytes costs more in latency than it gains in overlap. */
  private static final long LEAST_BYTES = 64 << 10;

  public Chunking {
    if (rows < 0) {
      throw new IllegalArgumentException("a chunk cannot have %d rows".formatted(rows));
    }
  }

  /** The rows of a chunk of a route; at least 1, and not more than the route has. */
  public long rowsFor(long routeRows, long rowBytes) {
    if (rows > 0) {
      return Math.min(rows, Math.max(1, routeRows));
    }
    long fewEnough = Math.ceilDiv(routeRows, MOST_CHUNKS);
    long largeEnough = Math.ceilDiv(LEAST_BYTES, Math.max(1, rowBytes));
    return Math.clamp(Math.max(fewEnough, largeEnough), 1, Math.max(1, routeRows));
  }

  @Override
  public String toString() {
    return rows == 0 ? "by rule" : rows + " rows";
  }
}
