// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.GatherPlan;

/**
 * Steps of gathering operators of one plan: rows of all ranks that are worked on as they arrive.
 */
public final class GatherKind implements StepKind<PlannedGather> {
  private final GatherPlan plan;
  private final PlannedGather[] steps = new PlannedGather[StepWindow.STEPS];

  public GatherKind(GatherPlan plan, GatherPipeline pipeline) {
    this.plan = plan;
    for (int buffer = 0; buffer < steps.length; buffer++) {
      steps[buffer] = pipeline.plan(plan, buffer);
    }
  }

  public GatherPlan plan() {
    return plan;
  }

  @Override
  public PlannedGather step(int buffer) {
    return steps[buffer];
  }
}
