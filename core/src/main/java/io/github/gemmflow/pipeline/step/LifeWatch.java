// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import java.util.function.IntPredicate;

/**
 * Time that a rank has waited without progress, where signs of life of lanes of its own host count
 * as progress if it waits for them. Not thread-safe.
 */
public final class LifeWatch {
  private final HostPeers peers;
  private final Heartbeats heartbeats;
  private final long[] seen;
  private long progressAt;

  public LifeWatch(HostPeers peers, Heartbeats heartbeats) {
    this.peers = peers;
    this.heartbeats = heartbeats;
    this.seen = new long[heartbeats.readers()];
  }

  /** Something that this rank waits for has happened, or it has only begun to wait. */
  public void noteProgress() {
    progressAt = System.nanoTime();
  }

  /** Looks at all lanes, so that only what they do from now on is news. */
  public void start() {
    for (int reader = 0; reader < seen.length; reader++) {
      seen[reader] = heartbeats.of(reader);
    }
    noteProgress();
  }

  /**
   * How long this rank may go on waiting; not positive if it has waited too long.
   *
   * @param counts whether this rank waits for a lane of its host, and for nobody elsewhere
   */
  public long left(IntPredicate counts) {
    for (int reader = 0; reader < seen.length; reader++) {
      long now = heartbeats.of(reader);
      if (now != seen[reader]) {
        seen[reader] = now;
        if (counts.test(reader)) {
          noteProgress();
        }
      }
    }
    long waited = System.nanoTime() - progressAt;
    long left = peers.deadlineNanos() - waited;
    if (left > 0 || !isOneWorking(counts)) {
      return left;
    }
    // It counts as working only as long as its process is there.
    peers.look();
    return peers.productDeadlineNanos() - waited;
  }

  /** Whether a lane that this rank waits for is inside a piece of work, or another thread of it. */
  private boolean isOneWorking(IntPredicate counts) {
    for (int reader = 0; reader < seen.length; reader++) {
      boolean matters = reader == peers.computeReader() || counts.test(reader);
      if (matters && heartbeats.isWorking(reader)) {
        return true;
      }
    }
    return false;
  }
}
