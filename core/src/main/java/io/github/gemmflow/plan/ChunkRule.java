// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;

/** Rule for the number of rows that travel together, unless it is asked for. */
final class ChunkRule {
  /** A slot has at least this many bytes. */
  private static final long SLOT_BYTES = 64 << 10;

  /**
   * Rows of a slot, at least: the kernel gets no more at once. With 64 rows oneDNN's AMX product
   * was measured at 0.7 of its full speed, with 512 at 0.84.
   */
  private static final long SLOT_ROWS = 128;

  private ChunkRule() {}

  /** The rows of a chunk of a route; at least 1, and not more than the route has. */
  static long rows(Chunking chunking, long routeRows, long rowBytes) {
    if (chunking.rows() > 0) {
      return Math.min(chunking.rows(), Math.max(1, routeRows));
    }
    return Math.clamp(chunking.bytes() / Math.max(1, rowBytes), 1, Math.max(1, routeRows));
  }

  /** The bytes of a slot in a workspace for so many rows: room for at least one of them. */
  static long slotBytes(Chunking chunking, long maxRows, long maxRowBytes) {
    long wanted =
        chunking.rows() > 0
            ? chunking.rows()
            : Math.max(SLOT_ROWS, Math.ceilDiv(SLOT_BYTES, Math.max(1, maxRowBytes)));
    return Math.multiplyExact(Math.clamp(wanted, 1, Math.max(1, maxRows)), maxRowBytes);
  }

  /** Why, for a person. */
  static String reason(Chunking chunking) {
    if (chunking.rows() > 0) {
      return "asked for";
    }
    String most = "as many as fit a message of %d bytes".formatted(chunking.bytes());
    return most + (chunking.equals(Chunking.BY_RULE) ? ", which needs no handshake" : ", as asked");
  }
}
