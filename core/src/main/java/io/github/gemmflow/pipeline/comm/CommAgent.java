// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.failure.EngineException;

/**
 * Something that the communication thread keeps moving. Called by whoever has the {@link
 * EngineTurn}.
 */
interface CommAgent {
  /**
   * Does what can be done without blocking. Returns how much that was, starting something included:
   * only after a poll that did nothing does {@link #underWay} say for how long to sleep.
   */
  int poll();

  /** How many things are under way in the engine; it is polled as long as there are any. */
  int underWay();

  /** Bytes that are yet to come in from other hosts, as far as is known. */
  default long toCome() {
    return 0;
  }

  /** Bytes that have come in since this was asked last. */
  default long takeReceived() {
    return 0;
  }

  /**
   * Whether all that is under way keeps until a compute thread of this rank, which is at work,
   * looks.
   */
  default boolean canWait() {
    return false;
  }

  /** The engine has failed, for good. */
  void fail(EngineException failure);
}
