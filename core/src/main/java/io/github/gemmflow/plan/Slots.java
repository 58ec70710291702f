// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * The decision of whoever fills slots: which of them may be filled. Uses of a ring of slots are
 * numbered through from 0, and every reader has a counter of the uses it has passed.
 */
public final class Slots {
  private Slots() {}

  /** The slot that a use takes. */
  public static int slot(long use, int slots) {
    return (int) (use % slots);
  }

  /**
   * The first use that has to wait: every use before it may be filled.
   *
   * @param passed what the slowest reader has passed
   */
  public static long filledUpTo(long passed, int slots) {
    return passed + slots;
  }
}
