// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.plan.Layout;

/**
 * Step as its plan lays it out: all that a pipeline has to know of it, whatever its kind. There is
 * one for each buffer, used for every second step.
 */
public interface PlannedStep {
  /** Its layout, which is laid out anew for each step. */
  Layout layout();

  /**
   * Makes room for this rank's rows of a step that nobody has heard of yet.
   *
   * @throws IllegalArgumentException if there is none
   */
  void reserve(long myRows);

  /** Numbers the chunks of a step, which is laid out, on from those of the one before. */
  void number();

  /** What travels between hosts in it. */
  ChunkTraffic traffic();

  /** Whether every rank of it waits for all others, so that a late one is hard to name. */
  boolean isEachWaitingForAll();
}
