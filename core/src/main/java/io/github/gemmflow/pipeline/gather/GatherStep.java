// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepNumbers;
import io.github.gemmflow.plan.GatherLayout;

/**
 * Gathering step as both lanes of a rank know it. There is one for each buffer of a kind; the
 * thread that begins a step fills it in before the communication thread may look at it.
 */
final class GatherStep {
  private final StepContext open;
  private final GatherLayout layout;
  private final RowStorage storage;
  private final OwnRows ownRows;
  private final StepNumbers chunks;
  private final StepNumbers uses;
  private final long[] firstChunk;
  private final long[] firstUse;
  private volatile boolean written;

  /**
   * The steps in a buffer.
   *
   * @param storage where their rows lie
   * @param ownRows memory of this rank for streamed rows
   * @param chunks numbers the chunks of each route
   * @param uses numbers the uses of each band's slots
   */
  GatherStep(
      StepContext open,
      GatherLayout layout,
      RowStorage storage,
      OwnRows ownRows,
      StepNumbers chunks,
      StepNumbers uses) {
    this.open = open;
    this.layout = layout;
    this.storage = storage;
    this.ownRows = ownRows;
    this.chunks = chunks;
    this.uses = uses;
    this.firstChunk = new long[chunks.things()];
    this.firstUse = new long[uses.things()];
  }

  /** Turns to a new step, which is laid out. */
  void number() {
    written = false;
    chunks.begin(firstChunk);
    for (int route = 0; route < layout.routes(); route++) {
      chunks.add(route, layout.chunks(route));
    }
    uses.begin(firstUse);
    for (int band = 0; storage.hasSlots() && band < layout.bands(); band++) {
      uses.add(band, layout.bandSlots(band));
    }
  }

  StepContext open() {
    return open;
  }

  int buffer() {
    return open.buffer();
  }

  GatherLayout layout() {
    return layout;
  }

  RowStorage storage() {
    return storage;
  }

  OwnRows ownRows() {
    return ownRows;
  }

  /** How many chunks of a route there were in all steps before this one. */
  long firstChunk(int route) {
    return firstChunk[route];
  }

  /** How many times a slot of a band was used in all steps before this one. */
  long use(int band) {
    return firstUse[band];
  }

  /** Whether this rank's own rows are written. */
  boolean isWritten() {
    return written;
  }

  void setWritten() {
    written = true;
  }
}
