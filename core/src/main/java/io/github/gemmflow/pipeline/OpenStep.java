// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.StepPlan;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One step as both lanes of a rank know it. There is one for each room, used for every second step;
 * the thread that begins a step fills it in before the comm lane may look at it.
 */
final class OpenStep {
  private final int room;
  private final long[] base;
  private final long[] use;
  private final boolean[] verified;
  private long number = -1;
  private long operator;
  private @Nullable Layouts layouts;
  private @Nullable Layout layout;
  private volatile boolean written;

  OpenStep(int room, int ranks, int routes) {
    this.room = room;
    this.base = new long[routes];
    this.use = new long[routes];
    this.verified = new boolean[ranks];
  }

  /** Opens a step, whose rows are not known yet. */
  void open(long newNumber, long newOperator) {
    number = newNumber;
    operator = newOperator;
    layout = null;
    written = false;
    Arrays.fill(verified, false);
  }

  /** Lays the step out; its chunks and uses are numbered on from those of the step before. */
  void lay(Layouts newLayouts, OpenStep before) {
    layouts = newLayouts;
    layout = newLayouts.layout(room);
    if (newLayouts instanceof SumSpace newSums) {
      newSums.number(room);
    }
    System.arraycopy(before.base, 0, base, 0, base.length);
    System.arraycopy(before.use, 0, use, 0, use.length);
    if (before.layout instanceof StepPlan old) {
      for (int route = 0; route < old.routes(); route++) {
        base[route] += old.chunks(route);
      }
      for (int band = 0; old.plan().isStreamed() && band < old.bands(); band++) {
        use[band] += old.bandChunks(band);
      }
    }
  }

  /** Which room for steps it has: one of {@link Space#STEPS}. */
  int room() {
    return room;
  }

  /** The number of the step in its workspace, from 0. */
  long number() {
    return number;
  }

  /** The number of the operator in its workspace. */
  long operator() {
    return operator;
  }

  Layout layout() {
    Layout laid = layout;
    if (laid == null) {
      throw new IllegalStateException("step %d has no rows yet".formatted(number));
    }
    return laid;
  }

  /** The layout of a step that gathers. */
  StepPlan plan() {
    return (StepPlan) layout();
  }

  /** The memory of a step that sums. */
  SumSpace sums() {
    return (SumSpace) Objects.requireNonNull(layouts);
  }

  boolean isLaid() {
    return layout != null;
  }

  /** How many chunks of a route there were in all steps before this one. */
  long base(int route) {
    return base[route];
  }

  /** How many times a slot of a band was used in all steps before this one. */
  long use(int band) {
    return use[band];
  }

  /** Whether this rank's own rows are written. */
  boolean isWritten() {
    return written;
  }

  void setWritten() {
    written = true;
  }

  /** Whether a rank's header has been found to be about this step. */
  boolean isVerified(int rank) {
    return verified[rank];
  }

  void setVerified(int rank) {
    verified[rank] = true;
  }
}
