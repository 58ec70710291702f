// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.HostCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Repetition of a simulated step in a real one: rows arrive, and work ends, in the same order, and
 * the lanes must decide the same.
 */
final class Replay {
  private final List<Event> events = new ArrayList<>();

  /** What can happen; at the same time, in this order. */
  private enum Kind {
    ARRIVAL,
    END,
    ADDED,
    BEGIN
  }

  /**
   * Something that happens on a rank.
   *
   * @param number of an arrival, the route; else, of how many such things it is the last
   */
  private record Event(long time, Kind kind, int rank, int number) {}

  /** Messages come at random times, and nothing but those and work takes any. */
  static Conditions conditions(double bitsPerSecond, long seed) {
    HostCosts free = new HostCosts(1e-3, 1e-3, 1e-3, 1e-9, 1e-9);
    LinkCosts link = LinkCosts.of(1e6, bitsPerSecond);
    CostModel costs = new CostModel("", "", 1, 1, link, free, CostModel.ASSUMED.kernels());
    return Conditions.of(costs).withJitter(5, seed);
  }

  /** A chunk of a route arrives at a rank. */
  void arrive(long time, int rank, int route) {
    events.add(new Event(time, Kind.ARRIVAL, rank, route));
  }

  /** A rank works on rows, and adds up sums. */
  private void work(int rank, List<Span> spans) {
    int runs = 0;
    int adds = 0;
    for (Span span : spans) {
      if (isDecision(span) && span.kind() == Span.Kind.WORK) {
        runs++;
        events.add(new Event(span.begin(), Kind.BEGIN, rank, runs));
        events.add(new Event(span.end(), Kind.END, rank, runs));
      } else if (isDecision(span)) {
        adds++;
        events.add(new Event(span.end(), Kind.ADDED, rank, adds));
      }
    }
  }

  /**
   * Repeats a step whose arrivals are known.
   *
   * @param real runs it, behind gates
   * @return how many decisions were the same
   */
  int run(SimulatedStep simulated, Gates gates, Runnable real) {
    for (int rank = 0; rank < simulated.spans().size(); rank++) {
      work(rank, simulated.spans().get(rank));
    }
    events.sort(Comparator.comparingLong(Event::time).thenComparing(Event::kind));
    CompletableFuture<Void> step = CompletableFuture.runAsync(real);
    for (Event event : events) {
      switch (event.kind) {
        case ARRIVAL -> gates.arrive(event.rank, event.number);
        case END -> gates.end(event.rank);
        case ADDED -> gates.added(event.rank, event.number);
        case BEGIN -> gates.begin(event.rank, event.number);
      }
    }
    step.join();
    int decisions = 0;
    for (int rank = 0; rank < simulated.spans().size(); rank++) {
      List<String> expected = decisions(simulated.spans().get(rank));
      assertEquals(expected, decisions(gates.timeline(rank).spans()));
      decisions += expected.size();
    }
    return decisions;
  }

  /** What a rank has decided to do, in order. */
  private static List<String> decisions(List<Span> spans) {
    return spans.stream()
        .filter(Replay::isDecision)
        .map(span -> "%s %d+%d".formatted(span.kind(), span.firstRow(), span.rows()))
        .toList();
  }

  private static boolean isDecision(Span span) {
    boolean works = span.kind() == Span.Kind.WORK || span.kind() == Span.Kind.ADD;
    return works && span.rows() > 0;
  }
}
