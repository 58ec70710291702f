// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import io.github.gemmflow.trace.jfr.Events;
import io.github.gemmflow.trace.jfr.SpanEvent;
import io.github.gemmflow.trace.jfr.StepEvent;
import org.jspecify.annotations.Nullable;

/**
 * Record of what the lanes do while somebody wants to know, in a {@link Timeline} or with the JDK's
 * Flight Recorder; otherwise it costs one look at each.
 */
public final class Recorder {
  /**
   * A runtime for the class path may have been made without it; its classes are not loaded then.
   */
  private static final boolean HAS_FLIGHT_RECORDER =
      ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final int rank;
  private volatile @Nullable Timeline timeline;

  /** For the lanes of a rank. */
  public Recorder(int rank) {
    this.rank = rank;
  }

  /** Where to write from now on; null for nowhere. */
  public void record(@Nullable Timeline newTimeline) {
    timeline = newTimeline;
  }

  /** What a thread is doing. */
  public record Mark(Span.Kind kind, long nanos, @Nullable SpanEvent event) {}

  /** Something begins; null if nobody wants to know. */
  public @Nullable Mark begin(Span.Kind kind) {
    SpanEvent event = HAS_FLIGHT_RECORDER ? Events.begin(kind) : null;
    if (event == null && timeline == null) {
      return null;
    }
    return new Mark(kind, System.nanoTime(), event);
  }

  /**
   * Something ends, in the thread in which it began.
   *
   * @param mark what {@link #begin} said when it began
   * @param step the number of the step that it was about
   */
  public void end(@Nullable Mark mark, long step, int thread, long firstRow, long rows) {
    if (mark == null) {
      return;
    }
    Timeline current = timeline;
    if (current != null) {
      current.add(mark.kind, thread, mark.nanos, firstRow, rows);
    }
    if (mark.event != null) {
      mark.event.finish(rank, step, thread, firstRow, rows);
    }
  }

  /** A step runs; null if nobody wants to know. */
  public @Nullable StepEvent beginStep() {
    return HAS_FLIGHT_RECORDER ? Events.beginStep() : null;
  }

  /**
   * A step is over.
   *
   * @param event what {@link #beginStep} said when it began
   * @param operator what ran; its text is for people
   */
  public void endStep(@Nullable StepEvent event, StepContext step, Object operator) {
    if (event != null) {
      // What ran need not be put into words while the clock is running.
      event.end();
      long rows = step.layout().totalRows();
      event.finish(rank, step.number(), operator.toString(), step.operator(), rows);
    }
  }
}
