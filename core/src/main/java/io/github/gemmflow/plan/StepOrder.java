// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * Order in which the steps of a workspace travel between hosts: the communication thread's decision
 * of what it may do for a step. A communication thread may lose its core between looking at a step
 * and looking at the next one, and callers begin and end steps meanwhile. So each decision depends
 * on how many steps are through, counted from the first step of the workspace: only the next one
 * may follow.
 */
public final class StepOrder {
  private StepOrder() {}

  /**
   * Whether the header of a step may leave. Headers have one tag, so the receiver takes them in the
   * order in which they left.
   *
   * @param step the number of the step
   * @param left of how many steps the headers have left
   * @param waitsForRows whether the header takes rows along if they are there in time
   * @param areRowsThere whether all of these rows are there
   * @param isLate whether the header has waited for them as long as it may
   */
  public static boolean mayLeave(
      long step, long left, boolean waitsForRows, boolean areRowsThere, boolean isLate) {
    return step == left && (!waitsForRows || areRowsThere || isLate);
  }

  /**
   * Whether the headers of a step that come from other hosts may be published: their counters never
   * go back.
   *
   * @param arrived of how many steps all headers have arrived
   */
  public static boolean mayPublish(long step, long arrived) {
    return step == arrived;
  }

  /**
   * Whether chunks of a step may be started, or have all been started.
   *
   * @param started of how many steps all chunks have been started
   */
  public static boolean mayStart(long step, long started) {
    return step <= started;
  }
}
