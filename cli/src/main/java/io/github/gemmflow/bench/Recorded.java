// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import io.github.gemmflow.trace.Timeline;
import org.jspecify.annotations.Nullable;

/** One rank of something that ranks do together, and that a {@link Recording} can be made of. */
public interface Recorded {
  /**
   * Writes down from now on what the threads of this rank do. Local.
   *
   * @param timeline where to; null for an end to that
   */
  void record(@Nullable Timeline timeline);

  /** Does it once. Collective. */
  void run();
}
