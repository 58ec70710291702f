// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

/** The event of a {@link io.github.gemmflow.trace.Span}. */
public abstract class SpanEvent extends GemmflowEvent {
  /** Takes of a span what the event tells. */
  abstract void describe(int thread, long firstRow, long rows);

  /** What the event is about is over; called by the thread that did it. */
  public final void finish(int rank, long step, int thread, long firstRow, long rows) {
    this.rank = rank;
    this.step = step;
    describe(thread, firstRow, rows);
    commit();
  }
}
