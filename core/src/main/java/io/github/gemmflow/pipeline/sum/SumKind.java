// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import java.lang.foreign.MemorySegment;

/** Steps of summing operators of one plan: partial sums that become sums over all ranks. */
public final class SumKind implements StepKind {
  private final SumPlan plan;
  private final SumWindow window;
  private final SumLane lane;
  private final SumStep[] steps = new SumStep[StepWindow.STEPS];
  private final SumTraffic[] traffic = new SumTraffic[StepWindow.STEPS];
  private final SumProgress[] progress = new SumProgress[StepWindow.STEPS];

  public SumKind(
      SumPlan plan,
      MemorySegment memory,
      StepContext[] open,
      HostPeers peers,
      HeaderCheck headers,
      SumLane lane) {
    this.plan = plan;
    this.window = new SumWindow(plan, peers.host(), memory);
    this.lane = lane;
    StepNumbers tiles = new StepNumbers(1);
    StepNumbers chunks = new StepNumbers(plan.hosts().ranks());
    for (int buffer = 0; buffer < steps.length; buffer++) {
      steps[buffer] = new SumStep(open[buffer], window, tiles, chunks);
      traffic[buffer] = new SumTraffic(steps[buffer], peers);
      progress[buffer] = new SumProgress(steps[buffer], peers, headers);
    }
  }

  /**
   * The bytes that a window needs.
   *
   * @throws ArithmeticException if they are more than any memory has
   */
  public static long bytes(SumPlan plan, int host) {
    return SumWindow.bytes(plan, host);
  }

  public SumPlan plan() {
    return plan;
  }

  /** All partial sums of a rank of this host, slot after slot. */
  public MemorySegment parts(int rank) {
    return window.parts(rank);
  }

  /** Computes partial sums and adds them up; returns when this rank's sums are complete. */
  public void run(int buffer, SumWork work) {
    lane.run(steps[buffer], progress[buffer], work);
  }

  @Override
  public SumLayout layout(int buffer) {
    return steps[buffer].layout();
  }

  @Override
  public void reserve(int buffer, long myRows) {}

  @Override
  public void number(int buffer) {
    steps[buffer].number();
  }

  @Override
  public ChunkTraffic traffic(int buffer) {
    return traffic[buffer];
  }

  @Override
  public boolean isEachWaitingForAll() {
    return true;
  }
}
