// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import org.jspecify.annotations.Nullable;

/** Writes down what the lanes do while somebody wants to know; otherwise it costs one look. */
final class Recorder {
  private volatile @Nullable Timeline timeline;

  /** Where to write from now on; null for nowhere. */
  void record(@Nullable Timeline newTimeline) {
    timeline = newTimeline;
  }

  /** When something begins; 0 if nobody wants to know. */
  long begin() {
    return timeline == null ? 0 : System.nanoTime();
  }

  /**
   * Something ends.
   *
   * @param begin what {@link #begin} said when it began
   */
  void end(Span.Kind kind, int thread, long begin, long firstRow, long rows) {
    Timeline current = timeline;
    if (current != null && begin != 0) {
      current.add(kind, thread, begin, firstRow, rows);
    }
  }
}
