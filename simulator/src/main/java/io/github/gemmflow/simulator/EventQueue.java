// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import java.util.PriorityQueue;

/** Virtual time: what is to happen, in order; at the same time, in the order it was entered. */
final class EventQueue {
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long entered;

  private record Event(long time, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(time, other.time);
      return byTime == 0 ? Long.compare(number, other.number) : byTime;
    }
  }

  /** What time it is, in nanoseconds. */
  long now() {
    return now;
  }

  /** Enters what is to happen at a time, or now if that is past. */
  void at(long time, Runnable what) {
    events.add(new Event(Math.max(time, now), entered++, what));
  }

  /** Lets everything happen. */
  void run() {
    for (Event next = events.poll(); next != null; next = events.poll()) {
      now = next.time;
      next.what.run();
    }
  }
}
