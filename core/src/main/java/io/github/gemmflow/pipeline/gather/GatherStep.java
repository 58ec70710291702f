// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.plan.GatherLayout;
import org.jspecify.annotations.Nullable;

/**
 * Gathering step as both lanes of a rank know it. There is one for each buffer; the thread that
 * begins a step fills it in before the communication thread may look at it.
 */
final class GatherStep {
  private final StepContext open;
  private final StepNumbers chunks;
  private final StepNumbers uses;
  private @Nullable GatherLayout layout;
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
  void number(GatherLayout newLayout) {
    layout = newLayout;
    written = false;
    chunks.begin(buffer());
    for (int route = 0; route < newLayout.routes(); route++) {
      chunks.add(route, newLayout.chunks(route));
    }
    uses.begin(buffer());
    for (int band = 0; newLayout.plan().isStreamed() && band < newLayout.bands(); band++) {
      uses.add(band, newLayout.bandSlots(band));
    }
  }

  StepContext open() {
    return open;
  }

  int buffer() {
    return open.buffer();
  }

  GatherLayout layout() {
    GatherLayout laid = layout;
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
