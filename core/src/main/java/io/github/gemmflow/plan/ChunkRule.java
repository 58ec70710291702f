// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.KernelCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;

/** Rule for the number of rows that travel together, unless it is asked for. */
final class ChunkRule {
  /** A slot has at least this many bytes. */
  private static final long SLOT_BYTES = 64 << 10;

  /** Rows of a slot, at least and at most: the kernel gets no more at once. */
  private static final long FEWEST_SLOT_ROWS = 128;

  private static final long MOST_SLOT_ROWS = 512;

  /** Rows that are as good as any number, and how much slower those of a slot may be. */
  private static final long MANY_ROWS = 1024;

  private static final double NEARLY = 1.05;

  /**
   * Large chunks of a route, unless it has few bytes: the first ones are worked on, or copied,
   * while others are on their way.
   */
  private static final int FEWEST_CHUNKS = 8;

  /** Chunks of a route in flight by rule, at least: more gained nothing at 1 Gbit/s. */
  private static final int FEWEST_IN_FLIGHT = 8;

  /**
   * The same of large chunks, which fast links have: an engine that has somewhere to put what comes
   * copies it once less. Measured at 10 Gbit/s with chunks of 128 KiB: 27 ms with 8 in flight, 15
   * with all 128.
   */
  private static final int FEWEST_LARGE_IN_FLIGHT = 64;

  private ChunkRule() {}

  /** The rows of a chunk of a route; at least 1, and not more than the route has. */
  static long rows(Chunking chunking, long routeRows, long rowBytes) {
    if (chunking.rows() > 0) {
      return Math.min(chunking.rows(), Math.max(1, routeRows));
    }
    long most = chunking.bytes();
    if (most > Chunking.SLOW_BYTES) {
      most = Math.clamp(routeRows * rowBytes / FEWEST_CHUNKS, Chunking.SLOW_BYTES, most);
    }
    return Math.clamp(most / Math.max(1, rowBytes), 1, Math.max(1, routeRows));
  }

  /** The bytes of a slot in a workspace for so many rows: room for at least one of them. */
  static long slotBytes(Tuning tuning, long maxRows, long maxRowBytes) {
    long wanted =
        tuning.chunking().rows() > 0
            ? tuning.chunking().rows()
            : Math.max(
                slotRows(tuning.costs()), Math.ceilDiv(SLOT_BYTES, Math.max(1, maxRowBytes)));
    return Math.multiplyExact(Math.clamp(wanted, 1, Math.max(1, maxRows)), maxRowBytes);
  }

  /** As few rows as products of all types take little longer with than with many. */
  private static long slotRows(CostModel costs) {
    long rows = FEWEST_SLOT_ROWS;
    while (rows < MOST_SLOT_ROWS && !areEnough(rows, costs)) {
      rows *= 2;
    }
    return rows;
  }

  private static boolean areEnough(long rows, CostModel costs) {
    for (KernelCosts kernel : costs.kernels().values()) {
      long elements = kernel.sizes().getLast();
      double perRow = kernel.nanos(rows, elements, 1) / rows;
      double ofMany = kernel.nanos(MANY_ROWS, elements, 1) / MANY_ROWS;
      if (perRow > NEARLY * ofMany) {
        return false;
      }
    }
    return true;
  }

  /**
   * How many chunks of a route may be under way: what was asked for, or else so many that the link
   * is full until the first one's receipt is back.
   *
   * @param chunkBytes the bytes of a chunk
   */
  static int inFlight(Tuning tuning, double chunkBytes) {
    if (tuning.inFlight() > 0) {
      return tuning.inFlight();
    }
    LinkCosts link = tuning.costs().link();
    double held = 2 * link.latencyNanos() / link.nanosPerByte();
    double wanted = Math.ceil(held / Math.max(1, chunkBytes)) + 1;
    int fewest = chunkBytes > Chunking.SLOW_BYTES ? FEWEST_LARGE_IN_FLIGHT : FEWEST_IN_FLIGHT;
    return (int) Math.clamp(wanted, fewest, Tuning.MOST_IN_FLIGHT);
  }

  /** What was asked for, or else what the link takes best, and why. */
  static Rules.Choice<Chunking> choose(Chunking asked, LinkCosts link) {
    if (asked.rows() > 0) {
      return new Rules.Choice<>(asked, "asked for");
    }
    Chunking chosen = asked.on(link);
    String why = asked.bytes() > 0 ? "as asked" : "for a link of " + link;
    String fewest =
        chosen.bytes() > Chunking.SLOW_BYTES
            ? "; at least %d per route".formatted(FEWEST_CHUNKS)
            : "";
    return new Rules.Choice<>(
        chosen,
        "as many as fit a message of %d bytes, %s%s".formatted(chosen.bytes(), why, fewest));
  }
}
