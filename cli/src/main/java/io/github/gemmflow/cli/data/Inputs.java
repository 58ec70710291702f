// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.kernel.WeightLayout;

/**
 * Inputs of a product.
 *
 * @param a one file, whose rows are spread over the ranks, or a file of each rank with its rows
 * @param alongColumns whether it is the columns of A that are spread over the ranks
 * @param b one file, whose columns are spread over the ranks, or a file of each rank with its
 *     columns
 * @param layout how B is stored
 * @param whole whether every rank takes all of the one file of B
 */
public record Inputs(Where a, boolean alongColumns, Where b, WeightLayout layout, boolean whole) {
  /** The inputs of a group. */
  public Inputs inGroup(int group) {
    return new Inputs(a.inGroup(group), alongColumns, b.inGroup(group), layout, whole);
  }

  /**
   * How many ranks the files are for; 0 if they are for any number.
   *
   * @throws IllegalArgumentException if files are for different numbers
   */
  public int ranks() {
    int ofA = a.count();
    int ofB = b.count();
    if (ofA != 0 && ofB != 0 && ofA != ofB) {
      throw new IllegalArgumentException(
          "there are %d files %s, but %d files %s: each rank needs one of each"
              .formatted(ofA, a, ofB, b));
    }
    return Math.max(ofA, ofB);
  }

  /**
   * Throws unless files and ranks match.
   *
   * @param here whether the files of all ranks should be here, and not only those of this host
   * @throws IllegalArgumentException with the number of ranks that would
   */
  void check(int ranks, boolean here) {
    int wanted = ranks();
    if (wanted > ranks || (here && wanted != 0 && wanted < ranks)) {
      Where files = a.isPerRank() ? a : b;
      throw new IllegalArgumentException(
          "there are %d files %s, but %d ranks: start as many ranks as there are files (-n %d)"
              .formatted(wanted, files, ranks, wanted));
    }
  }
}
