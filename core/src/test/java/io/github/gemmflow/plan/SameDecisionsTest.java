// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.plan.NextRun.Soon;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is decided fast, for thousands of ranks, is what a plain program would decide. */
class SameDecisionsTest {
  private static final int MAX_ROWS = 300;

  @Test
  void theNextRun() {
    int[] runs = new int[1];
    int cases = Cases.run(getClass(), 5000, seed -> runs[0] += compareRuns(new Draw(seed)));
    assertTrue(cases < 1000 || runs[0] > cases, "hardly any runs");
  }

  private static int compareRuns(Draw draw) {
    int ranks = draw.chance(0.1) ? 17 + draw.below(24) : draw.ranks();
    GatherLayout step = layout(draw, ranks);
    int rank = draw.below(ranks);
    NextRun fast = new NextRun(rank, step.bands());
    PlainNextRun plain = new PlainNextRun(rank, step.bands());
    int runs = 0;
    // What is left over from one step must not matter in the next.
    for (int steps = 0; steps < 2; steps++) {
      step.lay(rows(draw, step, ranks));
      fast.reset(step);
      plain.reset(step);
      runs += compareStep(draw, step, fast, plain);
    }
    return runs;
  }

  private static GatherLayout layout(Draw draw, int ranks) {
    Hosts hosts = Hosts.of(draw.hosts(ranks));
    Tuning tuning = draw.tuning(MAX_ROWS).withSlots(1 + draw.below(4));
    tuning = tuning.withStorage(draw.oneOf(List.of(Storage.values())));
    if (tuning.storage() == Storage.GATHERED && draw.chance(0.2)) {
      tuning = tuning.withOverlap(Overlap.SEQUENTIAL);
    }
    Capacity capacity = Capacity.of(MAX_ROWS, 4L * ranks, tuning);
    GatherProblem problem =
        draw.chance(0.2)
            ? GatherProblem.alongColumns(
                IntStream.range(0, ranks).mapToObj(r -> 4L).toList(), capacity)
            : GatherProblem.alongRows(4, capacity);
    return GatherPlan.of(problem, hosts, tuning).step();
  }

  private static long[] rows(Draw draw, GatherLayout step, int ranks) {
    long[] rows = draw.rows(ranks, MAX_ROWS);
    if (step.plan().problem().isAlongColumns()) {
      Arrays.fill(rows, draw.below(MAX_ROWS));
    }
    return rows;
  }

  /** Rows arrive in any order; now and then both are asked, with the same question. */
  private static int compareStep(Draw draw, GatherLayout step, NextRun fast, PlainNextRun plain) {
    int runs = 0;
    int worthwhile = 1 + draw.below(draw.chance(0.5) ? 8 : 100);
    double eagerness = draw.chance(0.3) ? 0.05 : 0.7;
    long left = step.totalRows();
    for (int rounds = 0; left > 0 && rounds < 100_000; rounds++) {
      int band = draw.below(step.bands());
      long more = draw.chance(0.3) ? MAX_ROWS : draw.below(20);
      long upTo = Math.min(step.bandEnd(band), fast.ready(band) + more);
      fast.ready(band, upTo);
      plain.ready(band, upTo);
      while (draw.chance(eagerness) && compareChoice(draw, step, worthwhile, fast, plain)) {
        left -= fast.end() - fast.begin();
        runs++;
      }
    }
    assertEquals(0, left, "rows that nobody took");
    return runs;
  }

  private static boolean compareChoice(
      Draw draw, GatherLayout step, int worthwhile, NextRun fast, PlainNextRun plain) {
    Soon soon = draw.chance(0.6) ? Soon.NOTHING : draw.oneOf(List.of(Soon.values()));
    boolean chosen = plain.choose(step, worthwhile, soon);
    assertEquals(chosen, fast.choose(step, worthwhile, soon), "whether there is a run");
    assertEquals(plain.isPatient(), fast.isPatient(), "patient");
    if (chosen) {
      assertEquals(plain.begin() + "-" + plain.end(), fast.begin() + "-" + fast.end());
      assertEquals(plain.band(), fast.band(), "band");
    }
    assertEquals(plain.allTaken(step), fast.allTaken(step), "all taken");
    for (int band = 0; band < step.bands(); band++) {
      assertEquals(plain.taken(band), fast.taken(band), "taken of a band");
    }
    return chosen;
  }

  /** One stream of a list, as it was found. */
  private record Stream(int route, int peer, int hops) {}

  @Test
  void whoSendsSumsToWhom() {
    Cases.run(
        getClass(),
        3000,
        seed -> {
          Draw draw = new Draw(seed);
          int ranks = draw.chance(0.1) ? 17 + draw.below(24) : draw.ranks();
          SumLayout layout = sums(draw, ranks);
          for (int rank = 0; rank < ranks; rank++) {
            Transfers transfers = new Transfers(rank);
            transfers.fill(layout);
            assertEquals(plainStreams(layout, rank, true), text(transfers.sends()));
            assertEquals(plainStreams(layout, rank, false), text(transfers.receives()));
          }
        });
  }

  private static SumLayout sums(Draw draw, int ranks) {
    Hosts hosts = Hosts.of(draw.hosts(ranks));
    boolean scattered = draw.chance(0.5);
    Tuning tuning =
        draw.chance(0.5) ? Tuning.DEFAULT : Tuning.DEFAULT.withChunkRows(1 + draw.below(50));
    tuning = tuning.withSums(draw.oneOf(List.of(SumPath.values())));
    SumProblem problem = new SumProblem(5000, 20_000, scattered, MAX_ROWS);
    SumLayout layout = SumPlan.of(problem, hosts, tuning).step();
    long[] rows = draw.rows(ranks, MAX_ROWS);
    if (!scattered) {
      Arrays.fill(rows, draw.below(MAX_ROWS));
    }
    layout.lay(rows);
    return layout;
  }

  private static List<String> plainStreams(SumLayout layout, int rank, boolean sends) {
    Hosts hosts = layout.plan().hosts();
    int host = hosts.hostOf(rank);
    List<Stream> streams = new ArrayList<>();
    for (int block = 0; block < hosts.ranks(); block++) {
      for (int distance = 1; distance < hosts.count(); distance++) {
        int other = (host + distance) % hosts.count();
        int from = sends ? host : other;
        int to = sends ? other : host;
        int route = layout.route(from, block);
        boolean mine = layout.owner(host, block) == rank && layout.chunks(route) > 0;
        if (mine && layout.travels(from, to, block)) {
          streams.add(new Stream(route, layout.owner(other, block), distance));
        }
      }
    }
    if (sends) {
      streams.sort(Comparator.comparingInt(Stream::hops));
    }
    return streams.stream().map(s -> s.route() + " with " + s.peer()).toList();
  }

  private static List<String> text(Transfers.Streams streams) {
    return IntStream.range(0, streams.count())
        .mapToObj(i -> streams.route(i) + " with " + streams.peer(i))
        .toList();
  }

  /** Who starts all that can be started goes through the list once, and not from its beginning. */
  @Test
  void theNextTransfer() {
    Cases.run(
        getClass(),
        2000,
        seed -> {
          Draw draw = new Draw(seed);
          int count = 1 + draw.below(30);
          int inFlight = 1 + draw.below(4);
          long[] available = IntStream.range(0, count).mapToLong(i -> draw.below(9)).toArray();
          long[] started = Arrays.stream(available).map(a -> draw.below((int) a + 1)).toArray();
          long[] finished = Arrays.stream(started).map(s -> draw.below((int) s + 1)).toArray();
          long[] startedToo = started.clone();
          int at = 0;
          for (int i = NextTransfer.choose(count, available, started, finished, inFlight);
              i >= 0;
              i = NextTransfer.choose(count, available, started, finished, inFlight)) {
            at = NextTransfer.choose(at, count, available, startedToo, finished, inFlight);
            assertEquals(i, at);
            started[i]++;
            startedToo[i]++;
          }
          assertEquals(
              NextTransfer.NONE,
              NextTransfer.choose(at, count, available, startedToo, finished, inFlight));
        });
  }
}
