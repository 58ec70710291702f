// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.failure.BrokenException;

/**
 * Ranks that one of them can give up for all: those of a group, or of the whole world. Thread-safe.
 */
public interface Breakable {
  /** Whether the ranks have been given up. */
  boolean isBroken();

  /** The exception of a rank that finds the others given up. */
  BrokenException broken();

  /** Gives the ranks up; every rank of this host learns the reason at once. */
  void breakUp(String reason);

  /** Gives the ranks up if the process of one of them is gone. Cheap enough for once a second. */
  void look();
}
