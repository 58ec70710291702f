// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Curve of predicted times over ranks, and what it says.
 *
 * @param name such as "prefill of 132 tokens"
 * @param tokens that a pass brings; 0 if it is not about tokens
 * @param points fewest ranks first
 */
public record Curve(String name, long tokens, List<Point> points) {
  /** More ranks pay if they take less than this share of the time. */
  private static final double PAYS = 0.9;

  private static final String ROW = "%6s%7s%12s%9s%12s%12s%12s%12s  %s%n";

  public Curve {
    points = List.copyOf(points);
  }

  /** What somebody who has to buy machines wants to know. */
  public String verdict() {
    if (points.size() < 2) {
      return "%s: %s".formatted(name, time(points.getFirst().millis()));
    }
    Point best = points.getFirst();
    for (Point point : points) {
      best = point.millis() < best.millis() * PAYS ? point : best;
    }
    Point last = points.getLast();
    return best.equals(last)
        ? "%s: %s, and more may help".formatted(name, gain(best))
        : "%s: %s; of up to %d, more than %d are not worth it"
            .formatted(name, gain(best), last.ranks(), best.ranks());
  }

  private String gain(Point best) {
    Point first = points.getFirst();
    if (best.equals(first)) {
      return "%d rank%s, %s"
          .formatted(first.ranks(), first.ranks() == 1 ? "" : "s", time(first.millis()));
    }
    return String.format(
        Locale.ROOT,
        "%d ranks take %s, %.2fx faster than %d",
        best.ranks(),
        time(best.millis()),
        first.millis() / best.millis(),
        first.ranks());
  }

  static String time(double millis) {
    return millis < 1000
        ? String.format(Locale.ROOT, "%.3g ms", millis)
        : String.format(Locale.ROOT, "%.3g s", millis / 1000);
  }

  /** A table for a person. */
  public String text() {
    StringBuilder text = new StringBuilder(verdict() + "\n\n");
    text.append(
        ROW.formatted(
            "ranks",
            "hosts",
            "time",
            "faster",
            "tokens/s",
            "into host",
            "in shm",
            "weights",
            "limit"));
    for (Point point : points) {
      text.append(
          ROW.formatted(
              point.ranks(),
              point.hosts(),
              time(point.millis()),
              String.format(Locale.ROOT, "%.2fx", points.getFirst().millis() / point.millis()),
              tokens == 0 ? "-" : String.format(Locale.ROOT, "%.1f", tokens * 1e3 / point.millis()),
              bytes(point.bytesIntoHost()),
              bytes(point.sharedBytes()),
              bytes(point.weightBytes()),
              point.limit()));
    }
    return text.toString();
  }

  static String bytes(long bytes) {
    if (bytes < 1 << 20) {
      return "%d KiB".formatted(Math.ceilDiv(bytes, 1 << 10));
    }
    return bytes < 1L << 30
        ? "%d MiB".formatted(Math.ceilDiv(bytes, 1 << 20))
        : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
  }

  Map<String, Object> json() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("verdict", verdict());
    fields.put("tokens", tokens);
    fields.put("points", points.stream().map(point -> point.json(points.getFirst())).toList());
    return fields;
  }
}
