// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.compute.ComputeLane;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.pipeline.step.StepWindow;

/** Half of a workspace's pipeline for steps that gather, whatever their plans. */
public final class GatherPipeline {
  private final GatherWindow window;
  private final OwnRows ownRows;
  private final RowLocator locator;
  private final GatherLane lane;
  private final GatherStep[] steps = new GatherStep[StepWindow.STEPS];
  private final GatherTraffic[] traffic = new GatherTraffic[StepWindow.STEPS];

  public GatherPipeline(LaneContext context, GatherWindow window, StepContext[] open) {
    HostPeers peers = context.peers();
    this.window = window;
    this.ownRows = new OwnRows(peers.rank());
    this.locator = new RowLocator(peers.rank(), window, ownRows);
    ArrivalRate pace = new ArrivalRate();
    Arrivals arrivals = new Arrivals(peers, window, context.headers(), context.news());
    int routes = GatherWindow.routes(peers.hosts().ranks());
    StepNumbers chunks = new StepNumbers(routes);
    StepNumbers uses = new StepNumbers(routes);
    for (int buffer = 0; buffer < steps.length; buffer++) {
      steps[buffer] = new GatherStep(open[buffer], chunks, uses);
      traffic[buffer] = new GatherTraffic(steps[buffer], peers, window, locator, arrivals, pace);
    }
    this.lane = new GatherLane(context, steps[0], window, locator, arrivals, pace);
  }

  GatherWindow window() {
    return window;
  }

  OwnRows ownRows() {
    return ownRows;
  }

  RowLocator locator() {
    return locator;
  }

  GatherLane lane() {
    return lane;
  }

  GatherStep step(int buffer) {
    return steps[buffer];
  }

  GatherTraffic traffic(int buffer) {
    return traffic[buffer];
  }

  /** The lane, for its counts. */
  public ComputeLane computeLane() {
    return lane;
  }

  /** How much memory this rank has for its own rows of streamed steps. */
  public long ownBytes() {
    return ownRows.bytes();
  }

  /** Frees that memory. */
  public void free() {
    ownRows.free();
  }
}
