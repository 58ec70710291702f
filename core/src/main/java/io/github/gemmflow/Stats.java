// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.pipeline.StepCounts;

/**
 * Statistics of a workspace so far, on this rank.
 *
 * @param steps steps begun
 * @param rows rows, over all ranks, of the steps that ran
 * @param runs how many runs of rows they were worked on in: of a gather as they arrived, of a sum
 *     tile by tile
 * @param plainSteps steps whose rows were worked on in one run when all were there, as without
 *     overlap: by rule where another run would cost more than the wait for the rest
 * @param sleeps how often a thread of this rank went to sleep because nothing was ready
 * @param sharedBytes memory for rows that all ranks of this host share
 * @param ownBytes memory for rows that is this rank's alone: only streamed steps need some
 */
public record Stats(
    long steps,
    long rows,
    long runs,
    long plainSteps,
    long sleeps,
    long sharedBytes,
    long ownBytes) {
  static Stats of(StepCounts counts, long sharedBytes) {
    return new Stats(
        counts.steps(),
        counts.rows(),
        counts.runs(),
        counts.plainSteps(),
        counts.sleeps(),
        sharedBytes,
        counts.ownBytes());
  }
}
