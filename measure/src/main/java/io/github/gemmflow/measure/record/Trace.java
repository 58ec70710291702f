// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.record;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.trace.Span;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A step in the format that Chrome and Perfetto draw ("Trace Event Format"): a process for each
 * rank, a track for each thread.
 */
public final class Trace {
  private Trace() {}

  /** The text of the file. */
  public static String write(RecordedStep recording) {
    List<String> lines = new ArrayList<>();
    for (int rank = 0; rank < recording.ranks().size(); rank++) {
      lines.add(name("process_name", rank, 0, "name", "rank " + rank));
      lines.add(name("process_labels", rank, 0, "labels", recording.hosts().get(rank)));
      lines.add(name("thread_name", rank, track(Span.COMM), "name", "communication"));
      for (int thread = 0; thread < recording.threads(); thread++) {
        lines.add(name("thread_name", rank, track(thread), "name", "compute thread " + thread));
      }
      for (Span span : recording.ranks().get(rank)) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("name", describe(span));
        event.put("cat", span.kind().toString());
        event.put("ph", "X");
        event.put("pid", rank);
        event.put("tid", track(span.thread()));
        event.put("ts", micros(span.begin()));
        event.put("dur", micros(span.end() - span.begin()));
        lines.add(Json.write(event));
      }
    }
    return "{\"traceEvents\": [\n" + String.join(",\n", lines) + "\n]}\n";
  }

  /** To the nanosecond, however long the step: neighbours must not overlap by rounding. */
  private static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }

  private static int track(int thread) {
    return thread - Span.COMM;
  }

  /** An event that names a process or a thread. */
  private static String name(String what, int rank, int track, String field, String name) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", what);
    event.put("ph", "M");
    event.put("pid", rank);
    event.put("tid", track);
    event.put("args", Map.of(field, name));
    return Json.write(event);
  }

  /** What a thread did, for a person. */
  private static String describe(Span span) {
    String rows = "rows %d-%d".formatted(span.firstRow(), span.firstRow() + span.rows() - 1);
    return switch (span.kind()) {
      case WORK -> "multiply " + rows;
      case ADD -> "add up " + rows;
      case ARRIVAL -> rows + " arrived";
      case WAIT -> "wait";
      case TRANSFER -> "transfer";
    };
  }
}
