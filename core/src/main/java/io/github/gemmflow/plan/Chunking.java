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

  /**
   * Rows of a chunk that is streamed, at least: the kernel gets no more at once. With 64 rows
   * oneDNN's AMX product was measured at 0.7 of its full speed, with 512 at 0.84.
   */
  private static final long STREAMED_ROWS = 128;

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

  /** The bytes of a slot in a workspace for so many rows: room for at least one of them. */
  long slotBytes(long maxRows, long maxRowBytes) {
    long wanted =
        rows > 0
            ? rows
            : Math.max(STREAMED_ROWS, Math.ceilDiv(LEAST_BYTES, Math.max(1, maxRowBytes)));
    return Math.multiplyExact(Math.clamp(wanted, 1, Math.max(1, maxRows)), maxRowBytes);
  }

  /** The rows of a chunk that is streamed: as many as a slot holds, unless fewer are asked for. */
  long streamedRowsFor(long routeRows, long slotRows) {
    long most = Math.clamp(slotRows, 1, Math.max(1, routeRows));
    return rows > 0 ? Math.min(rows, most) : most;
  }

  String reason() {
    return rows > 0
        ? "asked for"
        : "at most %d chunks per route, of at least %d bytes".formatted(MOST_CHUNKS, LEAST_BYTES);
  }

  @Override
  public String toString() {
    return rows == 0 ? "by rule" : rows + " rows";
  }
}
