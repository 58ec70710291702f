// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.matrix.Shards;

/**
 * Part of a rank: of heads, of columns, of rows. Parts are as even as can be, and in the order of
 * ranks.
 */
record Part(int rank, int ranks) {
  /** Where this rank's part of so many begins. */
  long begin(long total) {
    return Shards.of(total, ranks).begin(rank);
  }

  /** Where it ends. */
  long end(long total) {
    return Shards.of(total, ranks).end(rank);
  }

  /** How many this rank has. */
  int size(long total) {
    return (int) (end(total) - begin(total));
  }

  /** How many each rank has. */
  long[] sizes(long total) {
    return Shards.of(total, ranks).sizes();
  }
}
