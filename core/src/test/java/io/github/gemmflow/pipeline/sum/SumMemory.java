// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumPlan;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** Window of a host for summing steps of a plan, and the steps in it. */
final class SumMemory {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final SumPlan plan;
  private final SumWindow window;
  private final StepNumbers tiles = new StepNumbers(1);
  private final StepNumbers chunks;
  private long next;

  SumMemory(SumPlan plan, int host) {
    this.plan = plan;
    this.window =
        new SumWindow(plan, host, Arena.ofAuto().allocate(SumWindow.bytes(plan, host), 4096));
    this.chunks = new StepNumbers(plan.hosts().ranks());
  }

  /** The next step, in which each rank gets some rows. */
  SumStep begin(long operator, long... rows) {
    int buffer = (int) (next % StepWindow.STEPS);
    SumStep step =
        new SumStep(new StepContext(buffer, plan.hosts().ranks()), window, tiles, chunks);
    step.layout().lay(rows);
    step.open().open(next++, operator);
    step.open().lay(step.layout(), false);
    step.number();
    return step;
  }

  /** Fills a block of F32 with one number. */
  static void fill(Block block, float value) {
    for (long row = 0; row < block.rows(); row++) {
      for (long at = 0; at < block.rowBytes(); at += Float.BYTES) {
        block.memory().set(FLOAT, block.offset() + row * block.stride() + at, value);
      }
    }
  }

  /** The number that all of a block of F32 holds, or NaN. */
  static float only(Block block) {
    float first = block.memory().get(FLOAT, block.offset());
    for (long row = 0; row < block.rows(); row++) {
      for (long at = 0; at < block.rowBytes(); at += Float.BYTES) {
        long place = block.offset() + row * block.stride() + at;
        if (block.memory().get(FLOAT, place) != first) {
          return Float.NaN;
        }
      }
    }
    return first;
  }
}
