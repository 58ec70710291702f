// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;

/** Rule for the number of rows that travel together, unless it is asked for. */
final class ChunkRule {
  /**
   * A message of at most this many bytes travels at once; a larger one waits for a handshake, whose
   * answer stands in line behind what travels the other way. Measured with Open MPI, whose limit
   * for TCP is 64 KiB with its header, between 2 hosts at 1 Gbit/s: 16 MiB each way in chunks of 56
   * KiB take 0.99 of the time of MPI_Allgather, of 128 KiB 1.2, of 512 KiB 1.9, of 2 MiB 2.4.
   */
  private static final long MOST_BYTES = 56 << 10;

  /** A slot has at least this many bytes. */
  private static final long SLOT_BYTES = 64 << 10;

  /**
   * Rows of a chunk that is streamed, at least: the kernel gets no more at once. With 64 rows
   * oneDNN's AMX product was measured at 0.7 of its full speed, with 512 at 0.84.
   */
  private static final long STREAMED_ROWS = 128;

  private ChunkRule() {}

  /** The rows of a chunk of a route; at least 1, and not more than the route has. */
  static long rows(Chunking chunking, long routeRows, long rowBytes) {
    if (chunking.rows() > 0) {
      return Math.min(chunking.rows(), Math.max(1, routeRows));
    }
    return Math.clamp(MOST_BYTES / Math.max(1, rowBytes), 1, Math.max(1, routeRows));
  }

  /** The bytes of a slot in a workspace for so many rows: room for at least one of them. */
  static long slotBytes(Chunking chunking, long maxRows, long maxRowBytes) {
    long wanted =
        chunking.rows() > 0
            ? chunking.rows()
            : Math.max(STREAMED_ROWS, Math.ceilDiv(SLOT_BYTES, Math.max(1, maxRowBytes)));
    return Math.multiplyExact(Math.clamp(wanted, 1, Math.max(1, maxRows)), maxRowBytes);
  }

  /** The rows of a chunk that is streamed: as many as a slot holds, unless fewer are asked for. */
  static long streamedRows(Chunking chunking, long routeRows, long slotRows) {
    long most = Math.clamp(slotRows, 1, Math.max(1, routeRows));
    return chunking.rows() > 0 ? Math.min(chunking.rows(), most) : most;
  }

  /** Why, for a person. */
  static String reason(Chunking chunking) {
    return chunking.rows() > 0
        ? "asked for"
        : "as many as fit a message of %d bytes, which needs no handshake".formatted(MOST_BYTES);
  }
}
