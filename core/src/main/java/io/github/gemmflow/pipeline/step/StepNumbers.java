// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

/**
 * Numbers that go on from step to step, for counters that never start again: of each of several
 * things, how many there were in all steps before one.
 */
public final class StepNumbers {
  private final long[][] first;
  private final long[] next;

  public StepNumbers(int things) {
    this.first = new long[StepWindow.STEPS][things];
    this.next = new long[things];
  }

  /** A step begins; what there is of each thing is {@link #add added} afterwards. */
  public void begin(int buffer) {
    System.arraycopy(next, 0, first[buffer], 0, next.length);
  }

  /** The step that began last has so many of a thing. */
  public void add(int thing, long count) {
    next[thing] += count;
  }

  /** How many of a thing there were before the step in a buffer. */
  public long first(int buffer, int thing) {
    return first[buffer][thing];
  }
}
