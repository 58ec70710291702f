// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.pipeline.compute.ComputeLane;
import java.util.List;

/**
 * Counts of what a workspace has done so far, on this rank.
 *
 * @param steps begun
 * @param rows of the steps that ran, over all ranks
 * @param runs of rows that they were worked on in
 * @param plainSteps whose rows were worked on in one run
 * @param sleeps of threads that had nothing to do
 * @param ownBytes memory for rows that is this rank's alone
 */
public record StepCounts(
    long steps, long rows, long runs, long plainSteps, long sleeps, long ownBytes) {
  /**
   * Counts with those of all lanes.
   *
   * @param otherSleeps how often a thread slept outside of the lanes
   */
  static StepCounts of(
      long steps, long rows, List<ComputeLane> lanes, long otherSleeps, long ownBytes) {
    return new StepCounts(
        steps,
        rows,
        lanes.stream().mapToLong(ComputeLane::runs).sum(),
        lanes.stream().mapToLong(ComputeLane::plainSteps).sum(),
        lanes.stream().mapToLong(ComputeLane::sleeps).sum() + otherSleeps,
        ownBytes);
  }
}
