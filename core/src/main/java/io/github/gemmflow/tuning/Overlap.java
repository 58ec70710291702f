// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.Locale;

/** Moment at which the work on the rows of a step begins. */
public enum Overlap {
  /** With the first rows: the others travel meanwhile. */
  PIPELINED,

  /** When all rows are there: they are worked on in one piece. */
  SEQUENTIAL;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
