// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

/** Costs of computing partial sums. */
@FunctionalInterface
public interface SumCosts {
  /** The time that a rank takes for its partial sums of so many rows. */
  double nanos(int rank, long rows);
}
