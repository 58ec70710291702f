// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.Plan;
import io.github.gemmflow.plan.StepPlan;

/** A plan with a layout for each room: what all operators of equal plans on a workspace share. */
public final class StepPlans implements Layouts {
  private final Plan plan;
  private final StepPlan[] steps = new StepPlan[Space.STEPS];

  public StepPlans(Plan plan) {
    this.plan = plan;
    for (int room = 0; room < steps.length; room++) {
      steps[room] = plan.step();
    }
  }

  public Plan plan() {
    return plan;
  }

  @Override
  public StepPlan layout(int room) {
    return steps[room];
  }
}
