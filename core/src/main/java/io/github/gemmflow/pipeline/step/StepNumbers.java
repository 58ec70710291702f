// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

/**
 * Numbers that go on from step to step, for counters that never start again: of each of several
 * things, how many there were in all steps so far.
 */
public final class StepNumbers {
  private final long[] next;

  public StepNumbers(int things) {
    this.next = new long[things];
  }

  /** How many things there are. */
  public int things() {
    return next.length;
  }

  /**
   * A step begins; what there is of each thing is {@link #add added} afterwards.
   *
   * @param before is told how many of each thing there were before it
   */
  public void begin(long[] before) {
    System.arraycopy(next, 0, before, 0, next.length);
  }

  /** The step that began last has so many of a thing. */
  public void add(int thing, long count) {
    next[thing] += count;
  }
}
