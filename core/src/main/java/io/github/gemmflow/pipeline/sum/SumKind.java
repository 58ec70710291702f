// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumPlan;
import java.lang.foreign.MemorySegment;

/** Steps of summing operators of one plan: partial sums that become sums over all ranks. */
public final class SumKind implements StepKind<PlannedSum> {
  private final SumPlan plan;
  private final SumWindow window;
  private final PlannedSum[] steps = new PlannedSum[StepWindow.STEPS];

  public SumKind(
      SumPlan plan,
      MemorySegment memory,
      StepContext[] open,
      HostPeers peers,
      HeaderCheck headers,
      SumLane lane) {
    this.plan = plan;
    this.window = new SumWindow(plan, peers.host(), memory);
    StepNumbers tiles = new StepNumbers(1);
    StepNumbers chunks = new StepNumbers(plan.hosts().ranks());
    for (int buffer = 0; buffer < steps.length; buffer++) {
      SumStep step = new SumStep(open[buffer], window, tiles, chunks);
      SumTraffic traffic = new SumTraffic(step, peers);
      steps[buffer] = new PlannedSum(step, traffic, new SumProgress(step, peers, headers), lane);
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

  @Override
  public PlannedSum step(int buffer) {
    return steps[buffer];
  }
}
