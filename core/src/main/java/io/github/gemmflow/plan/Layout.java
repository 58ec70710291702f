// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.Arrays;

/**
 * Layout of one step: how its rows are cut and travel between hosts. All ranks of a group compute
 * the same one from the same row counts.
 *
 * <p>What travels into a host in order is a route, a run of rows cut into chunks. Sized once and
 * filled in again for every step, so that a step creates no garbage; not thread-safe while it is
 * filled in.
 */
public abstract sealed class Layout permits GatherLayout, SumLayout {
  private final long[] rows;
  private final long[] firstRow;
  private final long maxRows;
  private long countsHash;
  private boolean laid;

  /**
   * For a group.
   *
   * @param maxRows the most rows that a step may have
   */
  Layout(int ranks, long maxRows) {
    this.rows = new long[ranks];
    this.firstRow = new long[ranks + 1];
    this.maxRows = maxRows;
  }

  /** Whether the counts of all ranks are about the same rows. */
  abstract boolean areSameRows();

  /** Cuts the rows, whose counts are known now. */
  abstract void cut();

  /**
   * Lays out a step.
   *
   * @param rowsPerRank the rows of each rank
   */
  public final void lay(long[] rowsPerRank) {
    if (laid && Arrays.equals(rows, rowsPerRank)) {
      return;
    }
    check(rowsPerRank);
    System.arraycopy(rowsPerRank, 0, rows, 0, rows.length);
    for (int rank = 0; rank < rows.length; rank++) {
      firstRow[rank + 1] = areSameRows() ? 0 : firstRow[rank] + rows[rank];
    }
    cut();
    countsHash = hash(rows);
    laid = true;
  }

  private void check(long[] rowsPerRank) {
    if (rowsPerRank.length != rows.length) {
      throw new IllegalArgumentException(
          "a step needs a row count for each of the %d ranks of the group, not %s"
              .formatted(rows.length, Arrays.toString(rowsPerRank)));
    }
    long total = 0;
    for (int rank = 0; rank < rowsPerRank.length; rank++) {
      if (rowsPerRank[rank] < 0) {
        throw new IllegalArgumentException(
            "rank %d cannot hold %d rows".formatted(rank, rowsPerRank[rank]));
      }
      // Counts are not negative, so a sum that is has overflowed.
      total = total < 0 ? total : total + rowsPerRank[rank];
    }
    if (areSameRows()) {
      checkEqual(rowsPerRank);
      total = rowsPerRank[0];
    }
    if (total < 0 || total > maxRows) {
      throw new IllegalArgumentException(
          "the rows of the step %s are more than the workspace was opened for, %d"
              .formatted(Arrays.toString(rowsPerRank), maxRows));
    }
  }

  private static void checkEqual(long[] rowsPerRank) {
    for (long count : rowsPerRank) {
      if (count != rowsPerRank[0]) {
        throw new IllegalArgumentException(
            "every rank gives a part of the same rows, not %s"
                .formatted(Arrays.toString(rowsPerRank)));
      }
    }
  }

  private static long hash(long[] counts) {
    long hash = 1;
    for (long count : counts) {
      hash = (hash ^ count) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash == 0 ? 1 : hash;
  }

  final int ranks() {
    return rows.length;
  }

  /** The rows of the step over all ranks. */
  public final long totalRows() {
    return areSameRows() ? rows[0] : firstRow[rows.length];
  }

  /** A hash of the row counts of all ranks; never 0. */
  public final long countsHash() {
    return countsHash;
  }

  /** The rows of a rank. */
  public final long rows(int rank) {
    return rows[rank];
  }

  /** Where the rows of a rank start. */
  public final long firstRow(int rank) {
    return firstRow[rank];
  }

  /** How many routes into a host there are, also those without rows. */
  public abstract int routes();

  /** The chunks of a route. */
  public abstract long chunks(int route);

  /** The first row of a chunk. */
  public abstract long chunkBegin(int route, long chunk);

  /** The row after the last of a chunk. */
  public abstract long chunkEnd(int route, long chunk);

  /** The bytes of some chunks of a route. */
  public final long bytes(int route, long fromChunk, long toChunk) {
    long rows = 0;
    for (long chunk = fromChunk; chunk < toChunk; chunk++) {
      rows += chunkEnd(route, chunk) - chunkBegin(route, chunk);
    }
    return rows * columnBytes(route);
  }

  /** How many chunks of one route may be under way between two ranks. */
  public abstract int inFlight();

  /** Bytes of a row, or of the part of it, that a route brings. */
  public abstract long columnBytes(int route);

  /** The rows of a route from a chunk on, for a person. */
  public abstract String describe(int route, long fromChunk);
}
