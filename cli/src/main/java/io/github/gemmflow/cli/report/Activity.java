// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.trace.Span;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shares of the time of steps that the compute threads of each rank spent on each kind of work, and
 * how many arrivals fell into work: those did not cost any time.
 */
final class Activity {
  private static final String ROW = "%-6s%9s%12s%11s%9s%8s%9s   %s%n";

  private final Map<Integer, OfRank> ranks = new TreeMap<>();

  /** What one rank did. */
  private static final class OfRank {
    private long stepNanos;
    private int threads;
    private final Map<Span.Kind, Long> nanos = new EnumMap<>(Span.Kind.class);
    private final List<Span> work = new ArrayList<>();
    private final List<Span> arrivals = new ArrayList<>();
  }

  private OfRank rank(int rank) {
    return ranks.computeIfAbsent(rank, r -> new OfRank());
  }

  /** Adds the time that a step took a rank. */
  void addStep(int rank, long nanos) {
    rank(rank).stepNanos += nanos;
  }

  /** Adds something that a thread of a rank did. */
  void add(int rank, Span span) {
    OfRank of = rank(rank);
    of.threads = Math.max(of.threads, span.thread() + 1);
    of.nanos.merge(span.kind(), span.end() - span.begin(), Long::sum);
    if (span.kind() == Span.Kind.ARRIVAL) {
      of.arrivals.add(span);
    } else if (span.kind() == Span.Kind.WORK || span.kind() == Span.Kind.ADD) {
      of.work.add(span);
    }
  }

  boolean isEmpty() {
    return ranks.isEmpty();
  }

  /** A table for a person. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            ROW,
            "rank",
            "threads",
            "steps took",
            "multiply",
            "add up",
            "wait",
            "other",
            "arrivals during work"));
    ranks.forEach((rank, of) -> text.append(row(rank, of)));
    return text.toString();
  }

  private static String row(int rank, OfRank of) {
    double all = (double) of.stepNanos * Math.max(1, of.threads);
    double work = share(of, Span.Kind.WORK, all);
    double add = share(of, Span.Kind.ADD, all);
    double wait = share(of, Span.Kind.WAIT, all);
    return String.format(
        Locale.ROOT,
        ROW,
        rank,
        of.threads,
        String.format(Locale.ROOT, "%.1f ms", of.stepNanos / 1e6),
        percent(work),
        percent(add),
        percent(wait),
        percent(Math.max(0, 1 - work - add - wait)),
        of.arrivals.isEmpty()
            ? "none from other hosts"
            : "%d of %d".formatted(hidden(of), of.arrivals.size()));
  }

  private static double share(OfRank of, Span.Kind kind, double all) {
    return all == 0 ? 0 : of.nanos.getOrDefault(kind, 0L) / all;
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f %%", 100 * share);
  }

  private static long hidden(OfRank of) {
    return of.arrivals.stream()
        .filter(
            arrival ->
                of.work.stream()
                    .anyMatch(w -> w.begin() <= arrival.begin() && arrival.begin() <= w.end()))
        .count();
  }
}
