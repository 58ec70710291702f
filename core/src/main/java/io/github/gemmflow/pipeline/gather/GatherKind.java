// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;

/**
 * Steps of gathering operators of one plan: rows of all ranks that are worked on as they arrive.
 */
public final class GatherKind implements StepKind {
  private final GatherPlan plan;
  private final GatherPipeline pipeline;
  private final GatherLayout[] layouts = new GatherLayout[StepWindow.STEPS];

  public GatherKind(GatherPlan plan, GatherPipeline pipeline) {
    this.plan = plan;
    this.pipeline = pipeline;
    for (int buffer = 0; buffer < layouts.length; buffer++) {
      layouts[buffer] = plan.step();
    }
  }

  public GatherPlan plan() {
    return plan;
  }

  /** Publishes this rank's rows and works on all rows of the step; returns when that is done. */
  public void run(int buffer, RowWork work) {
    pipeline.lane().run(pipeline.step(buffer), work);
  }

  /** Points a block at the place where this rank writes its rows of a step. */
  public Block input(Block block, int buffer) {
    return pipeline.locator().input(block, pipeline.step(buffer));
  }

  /** Points a block at all rows of A in a step, which is gathered. */
  public Block gathered(Block block, int buffer) {
    return pipeline.window().rows(block, pipeline.step(buffer), 0, layouts[buffer].totalRows());
  }

  @Override
  public GatherLayout layout(int buffer) {
    return layouts[buffer];
  }

  @Override
  public void reserve(int buffer, long myRows) {
    if (plan.isStreamed()) {
      pipeline.ownRows().reserve(buffer, layouts[buffer], myRows);
    }
  }

  @Override
  public void number(int buffer) {
    pipeline.step(buffer).number(layouts[buffer]);
  }

  @Override
  public ChunkTraffic traffic(int buffer) {
    return pipeline.traffic(buffer);
  }

  @Override
  public boolean isEachWaitingForAll() {
    return false;
  }
}
