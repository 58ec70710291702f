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
   * A chunk on a slow link has at most this many bytes. Measured with Open MPI between 2 hosts at 1
   * Gbit/s: 16 MiB each way in chunks of 56 KiB take 0.99 of the time of MPI_Allgather.
   */
  public static final long SLOW_BYTES = 56 << 10;

  /**
   * A chunk on a fast link has at most this many bytes; the bindings see to it that such a message
   * travels without a handshake. Measured with Open MPI between 2 hosts at 10 Gbit/s, a core each:
   * 16 MiB each way take 13.9 ms in chunks of 512 KiB or 1 MiB, 14.9 of 128 KiB, 19 of 56 KiB.
   */
  public static final long FAST_BYTES = 1 << 20;

  /** A link is fast, from 5 Gbit/s on, if it carries that many bytes in fewer nanoseconds. */
  private static final double FAST_NANOS = 1.7e6;

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

  /** The same with what the rule says for a link, if nothing was asked for. */
  public Chunking on(LinkCosts link) {
    if (rows > 0 || bytes > 0) {
      return this;
    }
    boolean isFast = FAST_BYTES * link.nanosPerByte() < FAST_NANOS;
    return new Chunking(0, isFast ? FAST_BYTES : SLOW_BYTES);
  }

  @Override
  public String toString() {
    if (rows > 0) {
      return rows + " rows";
    }
    return bytes == 0 ? "automatic" : bytes + " bytes";
  }
}
