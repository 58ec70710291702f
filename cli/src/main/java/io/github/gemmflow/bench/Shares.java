// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import java.util.stream.IntStream;

/** Even spread of rows or columns over ranks; the same wherever it is asked. */
public final class Shares {
  private Shares() {}

  /** Where the share of a rank begins, which is where that of the rank before it ends. */
  public static long begin(long total, int rank, int ranks) {
    return Math.multiplyExact(total, (long) rank) / ranks;
  }

  /** How much each rank has. */
  public static long[] of(long total, int ranks) {
    return IntStream.range(0, ranks)
        .mapToLong(rank -> begin(total, rank + 1, ranks) - begin(total, rank, ranks))
        .toArray();
  }
}
