// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.measure.View;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The figures of a benchmark, as {@code gemmflow bench --json} writes them. */
final class FiguresFile {
  private static final String WANTED = "expected a file written by 'gemmflow bench --json FILE'";

  private static final Set<JsonToken> TEXT = EnumSet.of(JsonToken.VALUE_STRING);
  private static final Set<JsonToken> TRUTH =
      EnumSet.of(JsonToken.VALUE_TRUE, JsonToken.VALUE_FALSE);
  private static final Set<JsonToken> NUMBER =
      EnumSet.of(JsonToken.VALUE_NUMBER_INT, JsonToken.VALUE_NUMBER_FLOAT);

  /** A quotient of measured times need not exist. */
  private static final Set<JsonToken> QUOTIENT =
      EnumSet.of(JsonToken.VALUE_NUMBER_INT, JsonToken.VALUE_NUMBER_FLOAT, JsonToken.VALUE_NULL);

  private static final Map<String, Set<JsonToken>> NEEDED = needed();

  private FiguresFile() {}

  private static Map<String, Set<JsonToken>> needed() {
    Map<String, Set<JsonToken>> needed = new LinkedHashMap<>();
    for (View view : View.values()) {
      for (String figure : List.of("medianMs", "p10Ms", "p90Ms")) {
        needed.put("views.%s.%s".formatted(view, figure), NUMBER);
      }
    }
    List.of("operation", "dtype", "kernel", "isa", "engine").forEach(f -> needed.put(f, TEXT));
    List.of("shape.m", "shape.k", "shape.n", "ranks", "hosts", "groups")
        .forEach(f -> needed.put(f, NUMBER));
    List.of("speedup", "overlap", "hidden", "ofLimit", "control")
        .forEach(f -> needed.put(f, QUOTIENT));
    List.of("commCpuMs", "linkBytes", "bytesToCross").forEach(f -> needed.put(f, NUMBER));
    needed.put("verified", TRUTH);
    return needed;
  }

  /**
   * Reads figures.
   *
   * @throws IllegalArgumentException if there are others in the file
   */
  static String read(Path path) throws IOException {
    return read(path, NEEDED);
  }

  /**
   * Reads the figures of several benchmarks, as a list.
   *
   * @throws IllegalArgumentException if there are others in a file, or older ones
   */
  static String readAll(List<Path> paths) throws IOException {
    Map<String, Set<JsonToken>> needed = new LinkedHashMap<>(NEEDED);
    needed.put("views.pipelined.gflops", NUMBER);
    List<String> texts = new ArrayList<>();
    for (Path path : paths) {
      texts.add(read(path, needed));
    }
    return "[" + String.join(",", texts) + "]";
  }

  private static String read(Path path, Map<String, Set<JsonToken>> needed) throws IOException {
    JsonFile file = JsonFile.read(path, WANTED);
    file.run(json -> check(file, json, needed));
    return file.text();
  }

  private static void check(JsonFile file, JsonParser json, Map<String, Set<JsonToken>> needed) {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw file.refuse("is not an object with the figures of a benchmark");
    }
    Map<String, JsonToken> found = new LinkedHashMap<>();
    collect(json, "", found);
    if (found.containsKey("traceEvents")) {
      throw file.refuse("is a trace: pass it with --trace");
    }
    if (found.containsKey("inPlace")) {
      throw file.refuse("has the figures of an all-gather, but a report shows layers");
    }
    List<String> missing = new ArrayList<>(needed.keySet());
    missing.removeAll(found.keySet());
    if (!missing.isEmpty()) {
      throw file.refuse("has no " + missing.get(0));
    }
    needed.forEach(
        (field, tokens) -> {
          if (!tokens.contains(found.get(field))) {
            throw file.refuse("has %s for %s".formatted(found.get(field), field));
          }
        });
  }

  /** Notes what each field begins with, those of inner objects as {@code outer.inner}. */
  private static void collect(JsonParser json, String prefix, Map<String, JsonToken> found) {
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = prefix + json.currentName();
      found.put(name, json.nextToken());
      if (json.currentToken() == JsonToken.START_OBJECT) {
        collect(json, name + ".", found);
      } else {
        json.skipChildren();
      }
    }
  }
}
