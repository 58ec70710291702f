// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import java.util.function.IntPredicate;

/**
 * Time that a rank has waited without progress, where signs of life of lanes of its own host count
 * as progress if it waits for them. Not thread-safe.
 */
final class LifeWatch {
  private final Members members;
  private final Pulses pulses;
  private final long[] seen;
  private long progressAt;

  LifeWatch(Members members, Pulses pulses) {
    this.members = members;
    this.pulses = pulses;
    this.seen = new long[pulses.readers()];
  }

  /** Something that this rank waits for has happened, or it has only begun to wait. */
  void noteProgress() {
    progressAt = System.nanoTime();
  }

  /** Looks at all lanes, so that only what they do from now on is news. */
  void start() {
    for (int reader = 0; reader < seen.length; reader++) {
      seen[reader] = pulses.of(reader);
    }
    noteProgress();
  }

  /**
   * How long this rank may go on waiting; not positive if it has waited too long.
   *
   * @param counts whether this rank waits for a lane of its host, and for nobody elsewhere
   */
  long left(IntPredicate counts) {
    for (int reader = 0; reader < seen.length; reader++) {
      long now = pulses.of(reader);
      if (now != seen[reader]) {
        seen[reader] = now;
        if (counts.test(reader)) {
          noteProgress();
        }
      }
    }
    long waited = System.nanoTime() - progressAt;
    long left = members.deadlineNanos() - waited;
    if (left > 0 || !isOneWorking(counts)) {
      return left;
    }
    // It counts as working only as long as its process is there.
    members.look();
    return members.productDeadlineNanos() - waited;
  }

  /** Whether a lane that this rank waits for is inside a piece of work, or another thread of it. */
  private boolean isOneWorking(IntPredicate counts) {
    for (int reader = 0; reader < seen.length; reader++) {
      boolean matters = reader == members.computeReader() || counts.test(reader);
      if (matters && pulses.isWorking(reader)) {
        return true;
      }
    }
    return false;
  }
}
