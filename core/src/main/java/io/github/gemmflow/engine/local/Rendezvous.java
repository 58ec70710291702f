// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.engine.Exchange;

/** One exchange: each rank brings its bytes and waits for those of the others. Thread-safe. */
final class Rendezvous implements Exchange {
  private final byte[][] brought;
  private int missing;

  Rendezvous(int ranks) {
    this.brought = new byte[ranks][];
    this.missing = ranks;
  }

  /** Whether this was the last rank to come. */
  synchronized boolean arrive(int rank, byte[] bytes) {
    brought[rank] = bytes.clone();
    missing--;
    return missing == 0;
  }

  @Override
  public synchronized boolean isDone() {
    return missing == 0;
  }

  @Override
  public synchronized byte[][] result() {
    return brought.clone();
  }
}
