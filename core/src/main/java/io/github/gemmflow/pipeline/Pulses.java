// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.window.Counters;

/**
 * Signs of life in the window: how much each lane of this host has done. Who waits for a lane that
 * is slow can tell it from one that is lost.
 */
final class Pulses {
  /** How often a waiting rank looks at them: they ring no bell. */
  static final long LOOK_NANOS = 100_000_000;

  private final Counters counters;
  private final int firstCounter;
  private final int readers;

  Pulses(Counters counters, int firstCounter, int readers) {
    this.counters = counters;
    this.firstCounter = firstCounter;
    this.readers = readers;
  }

  /** Says that a lane has done something more. Each lane says it for itself only. */
  void beat(int reader) {
    counters.publish(firstCounter + reader, counters.get(firstCounter + reader) + 1);
  }

  /** A number that grows whenever a lane of this host does something. */
  long sum() {
    long sum = 0;
    for (int reader = 0; reader < readers; reader++) {
      sum += counters.get(firstCounter + reader);
    }
    return sum;
  }
}
