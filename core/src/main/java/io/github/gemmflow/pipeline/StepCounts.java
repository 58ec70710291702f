// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

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
    long steps, long rows, long runs, long plainSteps, long sleeps, long ownBytes) {}
