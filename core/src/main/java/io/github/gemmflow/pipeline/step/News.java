// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.window.Counters;

/**
 * Counters of headers and chunks that have come in on a host, one per reader. A lane that waits
 * sees there whether anything is new, and need not look at every rank and route each time.
 */
public final class News {
  private final Counters counters;
  private final int firstCounter;
  private final int readers;

  News(Counters counters, int firstCounter, int readers) {
    this.counters = counters;
    this.firstCounter = firstCounter;
    this.readers = readers;
  }

  /**
   * Says that there is something new, which has been published. Each lane says it for itself only,
   * one thread at a time.
   */
  public void tell(int reader) {
    counters.publish(firstCounter + reader, counters.get(firstCounter + reader) + 1);
  }

  /** A number that grows with everything that comes in, in whatever step. */
  public long total() {
    long sum = 0;
    for (int reader = 0; reader < readers; reader++) {
      sum += counters.get(firstCounter + reader);
    }
    return sum;
  }
}
