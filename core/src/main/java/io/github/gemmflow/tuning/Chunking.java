// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Number of rows that travel together.
 *
 * @param rows the rows of a chunk, or 0 to choose by rule
 */
public record Chunking(long rows) {
  /** Chunks by rule. */
  public static final Chunking BY_RULE = new Chunking(0);

  public Chunking {
    if (rows < 0) {
      throw new IllegalArgumentException("a chunk cannot have %d rows".formatted(rows));
    }
  }

  @Override
  public String toString() {
    return rows == 0 ? "by rule" : rows + " rows";
  }
}
