// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine;

/**
 * A small exchange under way. Exchanges of one channel are started in the same order on all its
 * ranks.
 */
public interface Exchange {
  boolean isDone();

  /**
   * What the ranks gave, once done: of an {@code allGather} one array per rank; of a {@code
   * broadcast} just the root's.
   */
  byte[][] result();
}
