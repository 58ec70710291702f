// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.Locale;

/** Path of a sum that all ranks want, between hosts. The sum is the same on either. */
public enum SumPath {
  /** Each host sends its sums to every other: one message away, for few rows. */
  DIRECT,

  /**
   * Each host adds up some of the rows for all, and sends the sums to the others: the fewest bytes,
   * for many rows on more than two hosts.
   */
  STAGED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
