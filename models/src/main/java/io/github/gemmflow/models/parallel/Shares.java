// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

import java.util.Arrays;

/**
 * Division of work in proportions, one for each rank: a machine that is twice as fast takes twice
 * as much. Parts are in the order of ranks.
 */
public final class Shares {
  private final double[] ends;

  private Shares(double[] shares) {
    this.ends = shares.clone();
    Arrays.parallelPrefix(ends, Double::sum);
  }

  /**
   * Shares in these proportions.
   *
   * @throws IllegalArgumentException if one is not more than 0
   */
  public static Shares of(double... shares) {
    for (double share : shares) {
      if (!(share > 0) || share == Double.POSITIVE_INFINITY) {
        throw new IllegalArgumentException(
            "shares must be numbers above 0, not %s: a rank without work is not needed"
                .formatted(Arrays.toString(shares)));
      }
    }
    return new Shares(shares);
  }

  /** The same for each. */
  public static Shares even(int ranks) {
    double[] shares = new double[ranks];
    Arrays.fill(shares, 1);
    return of(shares);
  }

  public int ranks() {
    return ends.length;
  }

  /** The part of a rank: as its share says, and at least one, if there are as many as ranks. */
  public Slice slice(long total, int rank) {
    long[] cuts = cuts(total);
    return new Slice(cuts[rank], cuts[rank + 1]);
  }

  /** How many each rank has. */
  public long[] sizes(long total) {
    long[] cuts = cuts(total);
    long[] sizes = new long[ranks()];
    Arrays.setAll(sizes, rank -> cuts[rank + 1] - cuts[rank]);
    return sizes;
  }

  private long[] cuts(long total) {
    int ranks = ranks();
    long least = total < ranks ? 0 : 1;
    long[] cuts = new long[ranks + 1];
    for (int rank = 1; rank <= ranks; rank++) {
      long cut = Math.round(total * (ends[rank - 1] / ends[ranks - 1]));
      long room = total - least * (ranks - rank);
      cuts[rank] = Math.min(Math.max(cut, cuts[rank - 1] + least), room);
    }
    return cuts;
  }
}
