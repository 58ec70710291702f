// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import java.util.Arrays;

/**
 * Rows of each rank in a step, as far as this rank knows them: those that each rank gives to a
 * gather, or gets from a sum. Ranks that know all counts and ranks that know only their own can run
 * the same step. Immutable.
 */
public final class RowCounts {
  private final long[] counts;
  private final boolean known;

  private RowCounts(long[] counts, boolean known) {
    this.counts = counts;
    this.known = known;
  }

  /** The counts of all ranks, in the order of ranks. Such a step begins without a message. */
  public static RowCounts known(long... rowsPerRank) {
    return new RowCounts(rowsPerRank.clone(), true);
  }

  /**
   * This rank's count. Such a step costs one small message to each other host, and its beginning
   * waits for all ranks.
   */
  public static RowCounts mine(long rows) {
    return new RowCounts(new long[] {rows}, false);
  }

  /** The same count for each of so many ranks. */
  public static RowCounts equal(int ranks, long rows) {
    long[] counts = new long[ranks];
    Arrays.fill(counts, rows);
    return new RowCounts(counts, true);
  }

  /** Whether the counts of all ranks are known. */
  boolean areKnown() {
    return known;
  }

  /** The counts of all ranks, which nobody may change. */
  long[] all() {
    return counts;
  }

  /** The count of this rank, which has a rank in its group. */
  long of(int rank) {
    return known ? counts[rank] : counts[0];
  }

  /** The rows of all ranks; only if they are known. */
  long total() {
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    return total;
  }

  /** Whether all known counts are the same. */
  boolean areEqual() {
    for (long count : counts) {
      if (count != counts[0]) {
        return false;
      }
    }
    return true;
  }

  /** Throws if these are not counts for the ranks of a group. */
  void check(int ranks) {
    if (known && counts.length != ranks) {
      throw new IllegalArgumentException(
          "a step needs a row count for each of the %d ranks of the group, not %s"
              .formatted(ranks, Arrays.toString(counts)));
    }
  }

  @Override
  public String toString() {
    return known ? Arrays.toString(counts) : counts[0] + " of this rank";
  }
}
