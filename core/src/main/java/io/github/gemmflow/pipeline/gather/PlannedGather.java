// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.PlannedStep;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.plan.GatherLayout;

/** Gathering step as its plan lays it out, with the rows in it and the lane that works on them. */
public final class PlannedGather implements PlannedStep {
  private final GatherStep step;
  private final GatherTraffic traffic;
  private final GatherWindow window;
  private final GatherLane lane;

  /** The steps in a buffer. */
  PlannedGather(GatherStep step, GatherTraffic traffic, GatherWindow window, GatherLane lane) {
    this.step = step;
    this.traffic = traffic;
    this.window = window;
    this.lane = lane;
  }

  /** Publishes this rank's rows and works on all rows of the step; returns when that is done. */
  public void run(RowWork work) {
    lane.run(step, work);
  }

  /** Points a block at the place where this rank writes its rows. */
  public Block input(Block block) {
    return step.storage().input(block, step);
  }

  /** Points a block at all rows of A, which are gathered. */
  public Block gathered(Block block) {
    return window.rows(block, step, 0, step.layout().totalRows());
  }

  @Override
  public GatherLayout layout() {
    return step.layout();
  }

  @Override
  public void reserve(long myRows) {
    step.storage().reserve(step, myRows);
  }

  @Override
  public void number() {
    step.number();
  }

  @Override
  public ChunkTraffic traffic() {
    return traffic;
  }

  @Override
  public boolean isEachWaitingForAll() {
    return false;
  }
}
