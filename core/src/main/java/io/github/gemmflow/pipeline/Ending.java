// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

/** End of a process, as far as steps need to know of it. */
public interface Ending {
  /** Whether this process was told to end. It begins no step then that nobody else has begun. */
  boolean isTold();

  /** Whether nobody on this host begins a step any more that nobody else has begun. */
  boolean isOver();

  /**
   * Why something cannot be used any more.
   *
   * @param otherwise the reason if the process was not told to end
   */
  default String reason(String otherwise) {
    return isTold() ? "this process is shutting down: no new steps can begin" : otherwise;
  }
}
