// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

/** Costs of the work on the rows of a gathering step. */
public interface RowCosts {
  /** The time that a rank takes for a run of so many rows. */
  double nanos(int rank, long rows);

  /** Rows below which a run costs nearly as much as one with this many. */
  long worthwhileRows();

  /** The time of the shortest worthwhile run. */
  default double runNanos(int rank) {
    return nanos(rank, worthwhileRows());
  }
}
