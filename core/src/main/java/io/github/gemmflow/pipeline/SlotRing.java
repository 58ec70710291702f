// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.window.Counters;

/**
 * Room that is used again and again, and never before its slowest reader is done with it. Uses are
 * numbered through from 0; use {@code n} takes slot {@code n mod slots}. Every reader has a counter
 * of the uses it has passed, in the window, where whoever fills the slots looks at it.
 */
final class SlotRing {
  private final Counters passed;
  private final int firstCounter;
  private final int readers;
  private final int slots;

  SlotRing(Counters passed, int firstCounter, int readers, int slots) {
    this.passed = passed;
    this.firstCounter = firstCounter;
    this.readers = readers;
    this.slots = slots;
  }

  int slot(long use) {
    return (int) (use % slots);
  }

  /** Whether every reader is done with what the slot of a use held before. */
  boolean isFree(long use) {
    return slowReader(use) < 0;
  }

  /** A reader that is not done with what the slot of a use held before; -1 if there is none. */
  int slowReader(long use) {
    for (int reader = 0; reader < readers; reader++) {
      if (passed(reader) <= use - slots) {
        return reader;
      }
    }
    return -1;
  }

  /** How many uses a reader has passed. */
  long passed(int reader) {
    return passed.get(firstCounter + reader);
  }

  /** Says that a reader is done with all uses up to and including this one. */
  void pass(int reader, long use) {
    passed.publish(firstCounter + reader, use + 1);
  }
}
