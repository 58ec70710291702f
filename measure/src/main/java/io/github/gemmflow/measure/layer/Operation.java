// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import java.util.Locale;

/** Collective half of a layer, besides the product. */
public enum Operation {
  /** The rows of all ranks are gathered, and multiplied with each rank's own columns. */
  GATHER,

  /** The rows or columns of all ranks are gathered, and nothing is multiplied. */
  ALL_GATHER,

  /** Products of all ranks are summed, and each rank gets its rows of the sum. */
  REDUCE_SCATTER,

  /** Products of all ranks are summed, and each rank gets the sum. */
  ALL_REDUCE;

  /** Whether what ranks computed is summed. */
  public boolean isSum() {
    return this == REDUCE_SCATTER || this == ALL_REDUCE;
  }

  /** Its name in tables, files and commands. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
