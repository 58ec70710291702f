// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.compute.ComputeLane;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.plan.GatherPlan;

/** Half of a workspace's pipeline for steps that gather, whatever their plans. */
public final class GatherPipeline {
  private final HostPeers peers;
  private final GatherWindow window;
  private final StepContext[] open;
  private final OwnRows[] ownRows;
  private final RowStorage gathered;
  private final RowStorage streamed;
  private final StepNumbers chunks;
  private final StepNumbers uses;
  private final ArrivalRate pace = new ArrivalRate();
  private final Arrivals arrivals;
  private final GatherLane lane;

  public GatherPipeline(LaneContext context, GatherWindow window, StepContext[] open) {
    this.peers = context.peers();
    this.window = window;
    this.open = open;
    this.ownRows = new OwnRows[open.length];
    for (int buffer = 0; buffer < open.length; buffer++) {
      ownRows[buffer] = new OwnRows(peers.rank());
    }
    this.gathered = new GatheredRows(peers.rank(), window);
    this.streamed = new StreamedRows(peers.rank(), window);
    int routes = GatherWindow.routes(peers.hosts().ranks());
    this.chunks = new StepNumbers(routes);
    this.uses = new StepNumbers(routes);
    this.arrivals = new Arrivals(peers, window, context.headers(), context.news());
    this.lane = new GatherLane(context, window, arrivals, pace);
  }

  /** The steps of a plan in a buffer. */
  PlannedGather plan(GatherPlan plan, int buffer) {
    RowStorage storage = plan.isStreamed() ? streamed : gathered;
    GatherStep step =
        new GatherStep(open[buffer], plan.step(), storage, ownRows[buffer], chunks, uses);
    GatherTraffic traffic = new GatherTraffic(step, peers, window, arrivals, pace);
    return new PlannedGather(step, traffic, window, lane);
  }

  /** The lane, for its counts. */
  public ComputeLane computeLane() {
    return lane;
  }

  /** How much memory this rank has for its own rows of streamed steps. */
  public long ownBytes() {
    long sum = 0;
    for (OwnRows rows : ownRows) {
      sum += rows.bytes();
    }
    return sum;
  }

  /** Frees that memory. */
  public void free() {
    for (OwnRows rows : ownRows) {
      rows.free();
    }
  }
}
