// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * What can be chosen about an operator without changing its result.
 *
 * @param schedule how rows travel between hosts
 * @param chunking how many rows travel together
 * @param inFlight how many chunks of one route may be under way between two ranks; may differ from
 *     rank to rank
 */
public record Tuning(Schedule schedule, Chunking chunking, int inFlight) {
  /** What is used unless something else is chosen. */
  public static final Tuning DEFAULT = new Tuning(Schedule.MESH, Chunking.BY_RULE, 4);

  public Tuning {
    if (inFlight < 1) {
      throw new IllegalArgumentException(
          "at least 1 chunk must be in flight, not %d".formatted(inFlight));
    }
  }

  /** The same with another schedule. */
  public Tuning withSchedule(Schedule value) {
    return new Tuning(value, chunking, inFlight);
  }

  /** Chunks of this many rows; 0 for chunks by rule. */
  public Tuning withChunkRows(long rows) {
    return new Tuning(schedule, new Chunking(rows), inFlight);
  }

  /** The same with more or fewer chunks in flight. */
  public Tuning withInFlight(int value) {
    return new Tuning(schedule, chunking, value);
  }
}
