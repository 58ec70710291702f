// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.Locale;

/** Storage of the rows of other ranks while they are worked on. */
public enum Storage {
  /** The window has room for two whole steps, and A lies in it in one piece. */
  GATHERED,

  /**
   * Each route has a few slots, which its rows pass through, some hundred at a time; A is never
   * whole in memory. Each rank's own rows lie in memory of its own.
   */
  STREAMED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
