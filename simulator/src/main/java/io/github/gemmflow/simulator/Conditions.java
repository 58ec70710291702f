// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.tuning.cost.CostModel;
import java.util.List;

/**
 * Conditions under which a step is simulated.
 *
 * @param costs of all machines and links
 * @param slowness how many times as long each rank takes for its work; empty if all are alike
 * @param jitter the most that a message is late, as a multiple of the latency
 * @param seed of what is random about that
 */
public record Conditions(CostModel costs, List<Double> slowness, double jitter, long seed) {
  public Conditions {
    slowness = List.copyOf(slowness);
  }

  /** All ranks are alike, and no message is late. */
  public static Conditions of(CostModel costs) {
    return new Conditions(costs, List.of(), 0, 0);
  }

  /** The same with ranks of different speed. */
  public Conditions withSlowness(List<Double> value) {
    return new Conditions(costs, value, jitter, seed);
  }

  /** The same with messages that are late at random. */
  public Conditions withJitter(double value, long newSeed) {
    return new Conditions(costs, slowness, value, newSeed);
  }

  double slowness(int rank) {
    return slowness.isEmpty() ? 1 : slowness.get(rank);
  }
}
