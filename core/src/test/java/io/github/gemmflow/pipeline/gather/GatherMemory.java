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
  private final GatherWindow window;
  private final GatherStep[] steps = new GatherStep[StepWindow.STEPS];
  private long next;

  GatherMemory(GatherPlan plan, int rank) {
    int host = plan.hosts().hostOf(rank);
    Hosts hosts = plan.hosts();
    WindowCursor end = new WindowCursor();
    GatherWindow.skip(end, hosts, host, plan.problem().capacity());
    MemorySegment memory = Arena.ofAuto().allocate(end.end(), WindowCursor.PAGE);
    this.window =
        new GatherWindow(memory, new WindowCursor(), hosts, host, plan.problem().capacity());
    int routes = GatherWindow.routes(hosts.ranks());
    StepNumbers chunks = new StepNumbers(routes);
    StepNumbers uses = new StepNumbers(routes);
    RowStorage storage =
        plan.isStreamed() ? new StreamedRows(rank, window) : new GatheredRows(rank, window);
    for (int buffer = 0; buffer < steps.length; buffer++) {
      StepContext open = new StepContext(buffer, hosts.ranks());
      OwnRows own = new OwnRows(rank);
      steps[buffer] = new GatherStep(open, plan.step(), storage, own, chunks, uses);
    }
  }

  GatherWindow window() {
    return window;
  }

  /** The next step, on some rows of each rank. */
  GatherStep begin(long operator, long... rowsPerRank) {
    GatherStep step = steps[(int) (next % StepWindow.STEPS)];
    step.layout().lay(rowsPerRank);
    step.open().open(next++, operator);
    step.open().lay(step.layout(), false);
    step.number();
    return step;
  }
}
