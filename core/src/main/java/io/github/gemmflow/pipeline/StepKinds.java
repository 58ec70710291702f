// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.pipeline.gather.GatherKind;
import io.github.gemmflow.pipeline.gather.GatherPipeline;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumLane;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Kinds of steps of a workspace: operators of equal plans share one. */
public final class StepKinds {
  private final HostPeers peers;
  private final StepContext[] buffers;
  private final HeaderCheck headers;
  private final GatherPipeline gatherPipeline;
  private final SumLane sumLane;
  private final Map<Object, GatherKind> gathers = new HashMap<>();
  private final Map<Object, SumKind> sums = new HashMap<>();

  StepKinds(
      HostPeers peers,
      StepContext[] buffers,
      HeaderCheck headers,
      GatherPipeline gatherPipeline,
      SumLane sumLane) {
    this.peers = peers;
    this.buffers = buffers;
    this.headers = headers;
    this.gatherPipeline = gatherPipeline;
    this.sumLane = sumLane;
  }

  /** Steps that gather. */
  public synchronized GatherKind gathers(GatherProblem problem, Tuning tuning) {
    return gathers.computeIfAbsent(
        Map.entry(problem, tuning),
        key -> new GatherKind(GatherPlan.of(problem, peers.hosts(), tuning), gatherPipeline));
  }

  /**
   * Steps that sum. Collective, if the first with such a plan.
   *
   * @param room makes a window of {@link SumKind#bytes} bytes; collective
   */
  public SumKind sums(SumPlan plan, Supplier<MemorySegment> room) {
    Object key = Map.entry(plan.problem(), plan.tuning());
    SumKind known = sums.get(key);
    if (known != null) {
      return known;
    }
    SumKind kind = new SumKind(plan, room.get(), buffers, peers, headers, sumLane);
    sums.put(key, kind);
    return kind;
  }
}
