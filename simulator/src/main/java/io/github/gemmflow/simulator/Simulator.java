// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.SumLayout;

/** Simulator of steps. */
public final class Simulator {
  private Simulator() {}

  /**
   * Simulates a gathering step.
   *
   * @param layout of a step whose rows are known
   * @param recorded whether to write down what threads do
   */
  public static SimulatedStep gather(
      GatherLayout layout, RowCosts work, Conditions conditions, boolean recorded) {
    Network network = new Network(layout.plan().hosts().count(), conditions);
    return new GatherSimulation(layout, work, conditions, network, recorded).run();
  }

  /** Simulates a summing step; see {@link #gather}. */
  public static SimulatedStep sum(
      SumLayout layout, SumCosts work, Conditions conditions, boolean recorded) {
    Network network = new Network(layout.plan().hosts().count(), conditions);
    return new SumSimulation(layout, work, conditions, network, recorded).run();
  }
}
