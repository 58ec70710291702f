// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.window.Counters;

/**
 * Signs of life in the window: how much each lane of this host has done, and whether it is inside a
 * piece of work now. Who waits for a lane that is slow can tell it from one that is lost.
 */
public final class Heartbeats {
  /** How often a waiting rank looks at them: they ring no bell. */
  public static final long LOOK_NANOS = 100_000_000;

  private final Counters counters;
  private final int firstCounter;
  private final int readers;

  /** A counter is odd while a thread of its lane is inside a piece of work. */
  public Heartbeats(Counters counters, int firstCounter, int readers) {
    this.counters = counters;
    this.firstCounter = firstCounter;
    this.readers = readers;
  }

  /** Says that a lane has done something more. Each lane says it for itself only. */
  public void beat(int reader) {
    add(reader, 2);
  }

  /** Says that the first thread of a lane begins a piece of work. */
  public void enter(int reader) {
    add(reader, 1);
  }

  /** Says that the last thread of a lane has done its piece of work. */
  public void leave(int reader) {
    add(reader, 1);
  }

  private void add(int reader, int more) {
    counters.publish(firstCounter + reader, counters.get(firstCounter + reader) + more);
  }

  /** A number that grows whenever a lane does something. */
  public long of(int reader) {
    return counters.get(firstCounter + reader);
  }

  /** Whether a thread of a lane is inside a piece of work. */
  public boolean isWorking(int reader) {
    return of(reader) % 2 == 1;
  }

  public int readers() {
    return readers;
  }
}
