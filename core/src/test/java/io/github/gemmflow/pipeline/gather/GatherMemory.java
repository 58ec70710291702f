// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.tuning.Hosts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Window of a host for gathering steps, and the steps in it as one of its ranks numbers them. */
final class GatherMemory {
  private final GatherPlan plan;
  private final GatherWindow window;
  private final GatherStep[] steps = new GatherStep[StepWindow.STEPS];
  private long next;

  GatherMemory(GatherPlan plan, int host) {
    this.plan = plan;
    Hosts hosts = plan.hosts();
    WindowCursor end = new WindowCursor();
    GatherWindow.skip(end, hosts, host, plan.problem().capacity());
    MemorySegment memory = Arena.ofAuto().allocate(end.end(), WindowCursor.PAGE);
    this.window =
        new GatherWindow(memory, new WindowCursor(), hosts, host, plan.problem().capacity());
    int routes = GatherWindow.routes(hosts.ranks());
    StepNumbers chunks = new StepNumbers(routes);
    StepNumbers uses = new StepNumbers(routes);
    for (int buffer = 0; buffer < steps.length; buffer++) {
      steps[buffer] = new GatherStep(new StepContext(buffer, hosts.ranks()), chunks, uses);
    }
  }

  GatherWindow window() {
    return window;
  }

  /** The next step, on some rows of each rank. Its layout is one of its own. */
  GatherStep begin(long operator, long... rowsPerRank) {
    GatherStep step = steps[(int) (next % StepWindow.STEPS)];
    var layout = plan.step();
    layout.lay(rowsPerRank);
    step.open().open(next++, operator);
    step.open().lay(layout, false);
    step.number(layout);
    return step;
  }
}
