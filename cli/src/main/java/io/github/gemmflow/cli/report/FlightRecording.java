// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.trace.Span;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Flight recording of a program that runs Gemmflow's operators. */
final class FlightRecording {
  private static final String PREFIX = "io.github.gemmflow.";
  private static final String STEP = PREFIX + "Step";
  private static final Map<String, Span.Kind> KINDS =
      Map.of(
          PREFIX + "Multiply", Span.Kind.WORK,
          PREFIX + "Add", Span.Kind.ADD,
          PREFIX + "Wait", Span.Kind.WAIT,
          PREFIX + "Arrival", Span.Kind.ARRIVAL);

  private FlightRecording() {}

  /**
   * Adds what a recording tells.
   *
   * @throws IllegalArgumentException if it is none
   */
  static void read(Path file, Activity activity) throws IOException {
    try (RecordingFile recording = open(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        String name = event.getEventType().getName();
        Span.Kind kind = KINDS.get(name);
        if (name.equals(STEP)) {
          activity.addStep(event.getInt("rank"), event.getDuration().toNanos());
        } else if (kind != null) {
          activity.add(event.getInt("rank"), span(event, kind));
        }
      }
    }
  }

  private static RecordingFile open(Path file) throws IOException {
    try {
      return new RecordingFile(file);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(file + ": no such file", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s is not a flight recording: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static Span span(RecordedEvent event, Span.Kind kind) {
    int thread = event.hasField("thread") ? event.getInt("thread") : Span.COMM;
    return new Span(kind, thread, nanos(event.getStartTime()), nanos(event.getEndTime()), 0, 0);
  }

  private static long nanos(Instant time) {
    return ChronoUnit.NANOS.between(Instant.EPOCH, time);
  }
}
