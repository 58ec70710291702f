// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.plan.StepPlan;
import org.jspecify.annotations.Nullable;

/**
 * Gathering step as both lanes of a rank know it. There is one for each buffer; the thread that
 * begins a step fills it in before the comm lane may look at it.
 */
final class GatherStep {
  private final StepContext open;
  private final StepNumbers chunks;
  private final StepNumbers uses;
  private @Nullable StepPlan layout;
  private volatile boolean written;

  /**
   * The steps in a buffer.
   *
   * @param chunks numbers the chunks of each route
   * @param uses numbers the uses of each band's slots
   */
  GatherStep(StepContext open, StepNumbers chunks, StepNumbers uses) {
    this.open = open;
    this.chunks = chunks;
    this.uses = uses;
  }

  /** Turns to a new step, which is laid out. */
  void number(StepPlan newLayout) {
    layout = newLayout;
    written = false;
    chunks.number(buffer(), newLayout.routes(), newLayout::chunks);
    int bands = newLayout.plan().isStreamed() ? newLayout.bands() : 0;
    uses.number(buffer(), bands, newLayout::bandChunks);
  }

  StepContext open() {
    return open;
  }

  int buffer() {
    return open.buffer();
  }

  StepPlan layout() {
    StepPlan laid = layout;
    if (laid == null) {
      throw new IllegalStateException("no step has been laid out in this buffer");
    }
    return laid;
  }

  /** How many chunks of a route there were in all steps before this one. */
  long firstChunk(int route) {
    return chunks.first(buffer(), route);
  }

  /** How many times a slot of a band was used in all steps before this one. */
  long use(int band) {
    return uses.first(buffer(), band);
  }

  /** Whether this rank's own rows are written. */
  boolean isWritten() {
    return written;
  }

  void setWritten() {
    written = true;
  }
}
