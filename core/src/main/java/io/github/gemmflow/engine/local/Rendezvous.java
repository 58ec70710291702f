// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;

/** One exchange: each rank brings its bytes and waits for those of the others. Thread-safe. */
final class Rendezvous implements Exchange {
  private final LocalFabric fabric;
  private final int[] members;
  private final byte[][] brought;
  private final boolean[] came;
  private int missing;

  /**
   * For some ranks.
   *
   * @param members their ranks in the job
   */
  Rendezvous(LocalFabric fabric, int[] members) {
    this.fabric = fabric;
    this.members = members;
    this.brought = new byte[members.length][];
    this.came = new boolean[members.length];
    this.missing = members.length;
  }

  /** Whether this was the last rank to come. */
  synchronized boolean arrive(int rank, byte[] bytes) {
    brought[rank] = bytes.clone();
    came[rank] = true;
    missing--;
    return missing == 0;
  }

  @Override
  public synchronized boolean isDone() {
    for (int i = 0; missing > 0 && i < members.length; i++) {
      if (!came[i] && fabric.hasLeft(members[i])) {
        throw new EngineException(
            "rank %d has left the job while other ranks wait for it".formatted(members[i]));
      }
    }
    return missing == 0;
  }

  @Override
  public synchronized byte[][] result() {
    return brought.clone();
  }
}
