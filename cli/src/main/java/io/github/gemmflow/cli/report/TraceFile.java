// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.trace.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Trace of all threads in a step, as {@code gemmflow bench --trace} writes it. */
final class TraceFile {
  private static final String WANTED = "expected a file written by 'gemmflow bench --trace FILE'";
  private static final List<String> KINDS =
      Arrays.stream(Span.Kind.values()).map(Span.Kind::toString).toList();

  private final JsonFile file;
  private boolean hasFigures;
  private boolean hasEvents;
  private long spans;
  private final Activity activity = new Activity();
  private final Map<Integer, double[]> beginAndEnd = new HashMap<>();

  private TraceFile(JsonFile file) {
    this.file = file;
  }

  /**
   * Reads a trace.
   *
   * @throws IllegalArgumentException if something else is in the file
   */
  static String read(Path path) throws IOException {
    JsonFile file = JsonFile.read(path, WANTED);
    file.run(new TraceFile(file)::check);
    return file.text();
  }

  /**
   * What the ranks of a trace did.
   *
   * @throws IllegalArgumentException if something else is in the file
   */
  static Activity activity(Path path) throws IOException {
    JsonFile file = JsonFile.read(path, WANTED);
    TraceFile trace = new TraceFile(file);
    file.run(trace::check);
    trace.beginAndEnd.forEach(
        (rank, micros) -> trace.activity.addStep(rank, Math.round(1e3 * (micros[1] - micros[0]))));
    return trace.activity;
  }

  private void check(JsonParser json) {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw file.refuse("is not an object with traceEvents");
    }
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (name.equals("traceEvents") && value == JsonToken.START_ARRAY) {
        hasEvents = true;
        checkEvents(json);
      } else {
        hasFigures |= name.equals("views");
        json.skipChildren();
      }
    }
    if (hasFigures) {
      throw file.refuse("has the figures of a benchmark: pass it without --trace");
    }
    if (!hasEvents) {
      throw file.refuse("has no list traceEvents");
    }
    if (spans == 0) {
      throw file.refuse("is a trace without events");
    }
  }

  private void checkEvents(JsonParser json) {
    Map<String, String> texts = new HashMap<>();
    Map<String, Double> numbers = new HashMap<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw file.refuse(JsonFile.at(json) + "has an event that is not an object");
      }
      texts.clear();
      numbers.clear();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        if (value == JsonToken.VALUE_STRING) {
          texts.put(name, json.getString());
        } else if (value.isNumeric()) {
          numbers.put(name, json.getDoubleValue());
        } else {
          json.skipChildren();
        }
      }
      if ("X".equals(texts.get("ph"))) {
        spans++;
        add(checkSpan(json, texts, numbers), numbers);
      }
    }
  }

  /** Returns what kind it is of. */
  private Span.Kind checkSpan(
      JsonParser json, Map<String, String> texts, Map<String, Double> numbers) {
    String kind = texts.getOrDefault("cat", "");
    if (!KINDS.contains(kind)) {
      throw file.refuse(JsonFile.at(json) + "has an event of category " + kind);
    }
    if (!texts.containsKey("name")) {
      throw file.refuse(JsonFile.at(json) + "has an event without a name");
    }
    for (String field : List.of("pid", "tid", "ts", "dur")) {
      if (isBad(field, numbers.get(field))) {
        throw file.refuse(
            "%shas an event whose %s is %s"
                .formatted(JsonFile.at(json), field, numbers.get(field)));
      }
    }
    return Span.Kind.valueOf(kind);
  }

  private void add(Span.Kind kind, Map<String, Double> numbers) {
    int rank = numbers.getOrDefault("pid", 0.0).intValue();
    int thread = numbers.getOrDefault("tid", 0.0).intValue() + Span.COMM;
    double begin = numbers.getOrDefault("ts", 0.0);
    double end = begin + numbers.getOrDefault("dur", 0.0);
    activity.add(
        rank, new Span(kind, thread, Math.round(1e3 * begin), Math.round(1e3 * end), 0, 0));
    double[] all = beginAndEnd.computeIfAbsent(rank, r -> new double[] {begin, end});
    all[0] = Math.min(all[0], begin);
    all[1] = Math.max(all[1], end);
  }

  /** Ranks and threads are counted, and nothing takes less than no time. */
  private static boolean isBad(String field, @Nullable Double value) {
    boolean counted = field.equals("pid") || field.equals("tid");
    return value == null
        || !Double.isFinite(value)
        || (value < 0 && !field.equals("ts"))
        || (counted && value != Math.rint(value));
  }
}
