// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import java.util.Arrays;

/**
 * Numbers that go on from step to step, for counters that never start again: of each of several
 * things, how many there were in all steps before one.
 */
public final class StepNumbers {
  /** Counts the things of a step. */
  @FunctionalInterface
  public interface Count {
    long of(int thing);
  }

  private final long[][] first;
  private final long[] next;

  public StepNumbers(int things) {
    this.first = new long[StepWindow.STEPS][things];
    this.next = new long[things];
  }

  /**
   * Numbers the things of a step on from those of the step before.
   *
   * @param things how many kinds of things the step has, which may be fewer than there are
   */
  public void number(int buffer, int things, Count count) {
    System.arraycopy(next, 0, first[buffer], 0, next.length);
    for (int thing = 0; thing < things; thing++) {
      next[thing] += count.of(thing);
    }
  }

  /** How many of a thing there were before the step in a buffer. */
  public long first(int buffer, int thing) {
    return first[buffer][thing];
  }

  @Override
  public String toString() {
    return "next " + Arrays.toString(next);
  }
}
