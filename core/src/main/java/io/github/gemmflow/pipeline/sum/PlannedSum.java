// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.PlannedStep;
import io.github.gemmflow.plan.SumLayout;

/** Summing step as its plan lays it out, with how far it has come and the lane that works on it. */
public final class PlannedSum implements PlannedStep {
  private final SumStep step;
  private final SumTraffic traffic;
  private final SumProgress progress;
  private final SumLane lane;

  /** The steps in a buffer. */
  PlannedSum(SumStep step, SumTraffic traffic, SumProgress progress, SumLane lane) {
    this.step = step;
    this.traffic = traffic;
    this.progress = progress;
    this.lane = lane;
  }

  /** Computes partial sums and adds them up; returns when this rank's sums are complete. */
  public void run(SumWork work) {
    lane.run(step, progress, work);
  }

  @Override
  public SumLayout layout() {
    return step.layout();
  }

  /** The window has room for the partial sums of every step. */
  @Override
  public void reserve(long myRows) {}

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
    return true;
  }
}
