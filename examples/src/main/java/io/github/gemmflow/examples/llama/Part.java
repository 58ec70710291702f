// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

/**
 * Part of a rank: of heads, of columns, of rows. Parts are as even as can be, and in the order of
 * ranks.
 */
record Part(int rank, int ranks) {
  /** Where this rank's part of so many begins. */
  long begin(long total) {
    return total * rank / ranks;
  }

  /** Where it ends. */
  long end(long total) {
    return total * (rank + 1) / ranks;
  }

  /** How many this rank has. */
  int size(long total) {
    return (int) (end(total) - begin(total));
  }

  /** How many each rank has. */
  long[] sizes(long total) {
    long[] sizes = new long[ranks];
    for (int other = 0; other < ranks; other++) {
      sizes[other] = new Part(other, ranks).size(total);
    }
    return sizes;
  }
}
