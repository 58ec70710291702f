// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import io.github.gemmflow.tuning.cost.LinkCosts;

/**
 * Number of rows that travel together.
 *
 * @param rows the rows of a chunk, or 0 for as many as fit {@code bytes}, and at least one
 * @param bytes the most bytes of a chunk of several rows, where rows do not say; 0 for what the
 *     link takes best, by rule
 */
public record Chunking(long rows, long bytes) {
  /**
   * A message of at most this many bytes travels at once; a larger one waits for a handshake, whose
   * answer stands in line behind what travels the other way. Measured with Open MPI, whose limit
   * for TCP is 64 KiB with its header, between 2 hosts at 1 Gbit/s: 16 MiB each way in chunks of 56
   * KiB take 0.99 of the time of MPI_Allgather, of 128 KiB 1.2, of 512 KiB 1.9, of 2 MiB 2.4.
   */
  public static final long TCP_BYTES = 56 << 10;

  /** More gained nothing on any link. */
  private static final long MOST_BYTES = 4 << 20;

  /**
   * A chunk is on a fast link for about this long, in nanoseconds. Measured with Open MPI between 2
   * hosts at 10 Gbit/s, a core each: 16 MiB each way in chunks of 56 KiB take 30 ms, of 1 MiB 21,
   * of 2 MiB 14, of 3 to 8 MiB 13.7.
   */
  private static final double NANOS = 2e6;

  /** A link that carries fewer bytes in that time, below 3.7 Gbit/s, has messages of TCP_BYTES. */
  private static final long FEWEST_BYTES = 16 * TCP_BYTES;

  /** Chunks by rule. */
  public static final Chunking BY_RULE = new Chunking(0, 0);

  public Chunking {
    if (rows < 0) {
      throw new IllegalArgumentException("a chunk cannot have %d rows".formatted(rows));
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("a chunk cannot have %d bytes".formatted(bytes));
    }
  }

  /**
   * The same with what the rule says for a link, if nothing was asked for. A link on which a
   * message without handshake takes that long has these; a faster one has messages with a
   * handshake, which MPI does not copy on their way: at 10 Gbit/s the copies would cost more than
   * the link.
   */
  public Chunking on(LinkCosts link) {
    if (rows > 0 || bytes > 0) {
      return this;
    }
    double wanted = NANOS / link.nanosPerByte();
    return new Chunking(
        0,
        wanted < FEWEST_BYTES
            ? TCP_BYTES
            : Math.min(MOST_BYTES, Long.highestOneBit((long) wanted)));
  }

  @Override
  public String toString() {
    if (rows > 0) {
      return rows + " rows";
    }
    return bytes == 0 ? "by rule" : bytes + " bytes";
  }
}
