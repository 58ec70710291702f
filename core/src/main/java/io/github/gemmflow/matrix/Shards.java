// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import java.util.Arrays;

/**
 * Division of rows or columns among ranks, in the order of ranks and as evenly as possible.
 *
 * @param total how many there are in all
 * @param ranks among how many they are divided
 */
public record Shards(long total, int ranks) {
  public Shards {
    if (total < 0 || ranks < 1) {
      throw new IllegalArgumentException(
          "%d rows or columns cannot be divided among %d ranks".formatted(total, ranks));
    }
  }

  /** Divides some rows or columns. */
  public static Shards of(long total, int ranks) {
    return new Shards(total, ranks);
  }

  /** Where a rank's begin. */
  public long begin(int rank) {
    // total * rank / ranks, without an overflow.
    return total / ranks * rank + total % ranks * rank / ranks;
  }

  /** Where a rank's end: where those of the next rank begin. */
  public long end(int rank) {
    return begin(rank + 1);
  }

  /** How many a rank has. */
  public long size(int rank) {
    return end(rank) - begin(rank);
  }

  /** How many each rank has. */
  public long[] sizes() {
    long[] sizes = new long[ranks];
    Arrays.setAll(sizes, this::size);
    return sizes;
  }
}
