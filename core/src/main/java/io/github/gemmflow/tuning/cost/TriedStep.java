// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

import java.util.Locale;

/**
 * Step that was tried for real in several ways, by {@code gemmflow tune}. The rules choose the best
 * one of them, and not the one that is predicted to be.
 *
 * @param best the way that took the least time
 * @param next the runner-up
 */
public record TriedStep(Way best, Way next) {
  /** The name of what the rules chose, which may be the runner-up. */
  public static final String BY_RULE = "rule";

  /**
   * Way of the rows or sums of a step.
   *
   * @param name of the schedule or of the path of sums, or {@link #BY_RULE}
   * @param chunkBytes that travel together, at most
   * @param nanos that the step took
   */
  public record Way(String name, long chunkBytes, double nanos) {
    public Way {
      if (name.isBlank() || chunkBytes < 1 || !(nanos > 0)) {
        throw new IllegalArgumentException(
            "invalid measurement of a step: %s with chunks of %d bytes in %s ns"
                .formatted(name, chunkBytes, nanos));
      }
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s with %d bytes %.3g ms", name, chunkBytes, nanos / 1e6);
    }
  }

  /**
   * The name under which costs have a step. What was tried with some rows holds for up to twice as
   * many, or half.
   *
   * @param operation a name such as gather
   * @param rowBytes that travel, of each row
   * @param rows the most of a step
   */
  public static String key(String operation, long rowBytes, long rows, int ranks, int hosts) {
    long most = Long.highestOneBit(Math.max(1, 2 * rows - 1));
    return "%s.%d.%d.%d.%d".formatted(operation, rowBytes, most, ranks, hosts);
  }

  /** Why the best is chosen, for a person. */
  public String reason() {
    return "tried by gemmflow tune: %s, then %s".formatted(best, next);
  }
}
