// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.plan.Layout;

/** Kind of the steps that a plan makes: all that a pipeline has to know of it. */
public interface StepKind {
  /** The layout of the steps in a buffer: of every second one. */
  Layout layout(int buffer);

  /**
   * Makes room for this rank's rows of a step that nobody has heard of yet.
   *
   * @throws IllegalArgumentException if there is none
   */
  void reserve(int buffer, long myRows);

  /** Numbers the chunks of a step, which is laid out, on from those of the one before. */
  void number(int buffer);

  /** What travels between hosts in the steps in a buffer. */
  ChunkTraffic traffic(int buffer);

  /** Whether every rank of a step waits for all others, so that a late one is hard to name. */
  boolean isEachWaitingForAll();
}
