// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.window.Counters;

/**
 * Room that is used again and again, and never before its slowest reader is done with it. Uses are
 * numbered through from 0; use {@code n} takes slot {@code n mod slots}. Every reader has a counter
 * of the uses it has passed, in the window, where whoever fills the slots looks at it.
 */
public final class SlotRing {
  private final Counters passed;
  private final int firstCounter;
  private final int readers;
  private final int slots;

  public SlotRing(Counters passed, int firstCounter, int readers, int slots) {
    this.passed = passed;
    this.firstCounter = firstCounter;
    this.readers = readers;
    this.slots = slots;
  }

  public int slot(long use) {
    return Slots.slot(use, slots);
  }

  /** Whether every reader is done with what the slot of a use held before. */
  public boolean isFree(long use) {
    return use < filledUpTo();
  }

  /** The first use that has to wait for a reader. */
  public long filledUpTo() {
    // Each counter is read once: another may have been the smallest by the time it is read again.
    long slowest = passed(0);
    for (int reader = 1; reader < readers; reader++) {
      slowest = Math.min(slowest, passed(reader));
    }
    return Slots.filledUpTo(slowest, slots);
  }

  /** The reader that has passed the fewest uses, for messages: it may just have caught up. */
  public int slowReader() {
    int slowest = 0;
    for (int reader = 1; reader < readers; reader++) {
      if (passed(reader) < passed(slowest)) {
        slowest = reader;
      }
    }
    return slowest;
  }

  /** How many uses a reader has passed. */
  public long passed(int reader) {
    return passed.get(firstCounter + reader);
  }

  /**
   * Says that a reader is done with all uses before {@code to}, provided that it is done with those
   * before {@code from}, which belong to an earlier step.
   *
   * @return whether that is news
   */
  public boolean pass(int reader, long from, long to) {
    long before = passed(reader);
    if (before < from || before >= to) {
      return false;
    }
    passed.publish(firstCounter + reader, to);
    return true;
  }
}
