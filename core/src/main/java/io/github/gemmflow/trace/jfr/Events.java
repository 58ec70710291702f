// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import io.github.gemmflow.trace.Span;
import org.jspecify.annotations.Nullable;

/** Source of events while a recording wants them; otherwise it costs one look and no memory. */
public final class Events {
  // Never committed: each knows whether a recording wants events of its class.
  private static final StepEvent STEP = new StepEvent();
  private static final MultiplyEvent MULTIPLY = new MultiplyEvent();
  private static final AddEvent ADD = new AddEvent();
  private static final WaitEvent WAIT = new WaitEvent();
  private static final ArrivalEvent ARRIVAL = new ArrivalEvent();

  private Events() {}

  /** A step runs from now on; null if no recording wants to know. */
  public static @Nullable StepEvent beginStep() {
    if (!STEP.isEnabled()) {
      return null;
    }
    StepEvent event = new StepEvent();
    event.begin();
    return event;
  }

  /** Something begins now; null if no recording wants to know. */
  public static @Nullable SpanEvent begin(Span.Kind kind) {
    return switch (kind) {
      case WORK -> MULTIPLY.isEnabled() ? begun(new MultiplyEvent()) : null;
      case ADD -> ADD.isEnabled() ? begun(new AddEvent()) : null;
      case WAIT -> WAIT.isEnabled() ? begun(new WaitEvent()) : null;
      // It takes no time: an event without a beginning is when it is committed.
      case ARRIVAL -> ARRIVAL.isEnabled() ? new ArrivalEvent() : null;
      case TRANSFER -> null;
    };
  }

  private static SpanEvent begun(SpanEvent event) {
    event.begin();
    return event;
  }
}
