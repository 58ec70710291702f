// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Number of rows that travel together.
 *
 * @param rows the rows of a chunk, or 0 for as many as fit {@code bytes}, and at least one
 * @param bytes the most bytes of a chunk of several rows, where rows do not say
 */
public record Chunking(long rows, long bytes) {
  /**
   * A message of at most this many bytes travels at once; a larger one waits for a handshake, whose
   * answer stands in line behind what travels the other way. Measured with Open MPI, whose limit
   * for TCP is 64 KiB with its header, between 2 hosts at 1 Gbit/s: 16 MiB each way in chunks of 56
   * KiB take 0.99 of the time of MPI_Allgather, of 128 KiB 1.2, of 512 KiB 1.9, of 2 MiB 2.4.
   */
  public static final long TCP_BYTES = 56 << 10;

  /** Chunks by rule. */
  public static final Chunking BY_RULE = new Chunking(0, TCP_BYTES);

  public Chunking {
    if (rows < 0) {
      throw new IllegalArgumentException("a chunk cannot have %d rows".formatted(rows));
    }
    if (bytes < 1) {
      throw new IllegalArgumentException("a chunk cannot have %d bytes".formatted(bytes));
    }
  }

  @Override
  public String toString() {
    if (rows > 0) {
      return rows + " rows";
    }
    return bytes == TCP_BYTES ? "by rule" : bytes + " bytes";
  }
}
