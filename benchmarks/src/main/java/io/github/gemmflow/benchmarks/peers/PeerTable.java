// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Medians and extremes of all runs. */
final class PeerTable {
  private final Map<Row, List<Speed>> rows = new LinkedHashMap<>();

  private record Row(String name, int hosts) {}

  void add(String name, int hosts, Speed speed) {
    rows.computeIfAbsent(new Row(name, hosts), row -> new ArrayList<>()).add(speed);
  }

  /** A table in Markdown. */
  String text() {
    StringBuilder text =
        new StringBuilder(
            """
            | | hosts | prefill, tokens/s | decode, ms a token | first token, ms | KB into a host for a token |
            |---|---|---|---|---|---|
            """);
    rows.forEach(
        (row, speeds) ->
            text.append(
                "| %s | %d | %s | %s | %s | %s |%n"
                    .formatted(
                        row.name(),
                        row.hosts(),
                        range(speeds, Speed::prefill),
                        range(speeds, Speed::decode),
                        range(speeds, Speed::first),
                        row.hosts() == 1 ? "-" : range(speeds, speed -> speed.bytes() / 1000))));
    return text.toString();
  }

  private static String range(List<Speed> speeds, ToDoubleFunction<Speed> value) {
    double[] sorted = speeds.stream().mapToDouble(value).sorted().toArray();
    double median = sorted[sorted.length / 2];
    return Double.isNaN(median)
        ? "-"
        : String.format(
            Locale.ROOT, "%.1f (%.1f to %.1f)", median, sorted[0], sorted[sorted.length - 1]);
  }
}
