// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.plan.Layout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One step as both lanes of a rank know it, whatever its kind. There is one for each buffer, used
 * for every second step; the thread that begins a step fills it in before the communication thread
 * may look at it.
 */
public final class StepContext {
  private final int buffer;
  private final boolean[] verified;
  private long number = -1;
  private long operator;
  private @Nullable Layout layout;
  private boolean eachWaitsForAll;

  public StepContext(int buffer, int ranks) {
    this.buffer = buffer;
    this.verified = new boolean[ranks];
  }

  /** Opens a step, whose rows are not known yet. */
  public void open(long newNumber, long newOperator) {
    number = newNumber;
    operator = newOperator;
    layout = null;
    Arrays.fill(verified, false);
  }

  /** The rows of the step are known. */
  public void lay(Layout newLayout, boolean newEachWaitsForAll) {
    layout = newLayout;
    eachWaitsForAll = newEachWaitsForAll;
  }

  /** Which buffer for steps it has: one of {@link StepWindow#STEPS}. */
  public int buffer() {
    return buffer;
  }

  /** The number of the step in its workspace, from 0. */
  public long number() {
    return number;
  }

  /** The number of the operator in its workspace. */
  public long operator() {
    return operator;
  }

  public Layout layout() {
    Layout laid = layout;
    if (laid == null) {
      throw new IllegalStateException("step %d has no rows yet".formatted(number));
    }
    return laid;
  }

  public boolean isLaid() {
    return layout != null;
  }

  /** Whether every rank of the step waits for all others. */
  public boolean isEachWaitingForAll() {
    return eachWaitsForAll;
  }

  /** Whether a rank's header has been found to be about this step. */
  public boolean isVerified(int rank) {
    return verified[rank];
  }

  public void setVerified(int rank) {
    verified[rank] = true;
  }
}
