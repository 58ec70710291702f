// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine;

/**
 * A small exchange under way. Exchanges of one channel are started in the same order on all its
 * ranks.
 */
public interface Exchange {
  boolean isDone();

  /** What the ranks gave, in rank order, once done. */
  byte[][] result();
}
