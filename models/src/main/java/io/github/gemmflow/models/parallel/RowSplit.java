// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

import io.github.gemmflow.RowCounts;

/**
 * Division of the rows of the residual stream: each rank has its share, or all. Where every rank
 * has all rows, nothing is gathered, and a sum is one message to each other host. More bytes travel
 * in fewer messages, which is faster where there are few rows.
 *
 * @param isWhole whether every rank has all rows
 */
public record RowSplit(int rank, Shares shares, boolean isWhole) {
  /** This rank's of so many rows. */
  public Slice slice(long total) {
    return isWhole ? new Slice(0, total) : shares.slice(total, rank);
  }

  /** How many rows each rank gives to a gather; one that has all gives them to itself. */
  public long[] gathered(long total) {
    return isWhole ? new long[] {total} : shares.sizes(total);
  }

  /** How many rows each rank gets from a sum. */
  public RowCounts summed(long total) {
    return isWhole ? RowCounts.equal(shares.ranks(), total) : RowCounts.known(shares.sizes(total));
  }
}
