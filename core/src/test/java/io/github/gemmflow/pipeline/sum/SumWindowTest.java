// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of three hosts with 2, 1 and 2 ranks. */
class SumWindowTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1, 2, 2);
  private static final int COLUMNS = 6;
  private static final long MAX_ROWS = 40;

  private static SumPlan plan(boolean scattered) {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(3).withSlots(2);
    return SumPlan.of(
        new SumProblem(COLUMNS, COLUMNS * Float.BYTES, scattered, MAX_ROWS), HOSTS, tuning);
  }

  private static SumWindow window(SumPlan plan, int host) {
    MemorySegment memory = Arena.ofAuto().allocate(SumWindow.bytes(plan, host), 4096);
    return new SumWindow(plan, host, memory);
  }

  /** All that is stored for good reason at the same time has memory of its own. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void regionsDoNotOverlap(boolean scattered) {
    SumPlan plan = plan(scattered);
    for (int host = 0; host < HOSTS.count(); host++) {
      SumWindow window = window(plan, host);
      List<long[]> regions = new ArrayList<>();
      for (int i = 0; i < HOSTS.size(host); i++) {
        int rank = HOSTS.member(host, i);
        for (int slot = 0; slot < plan.slots(); slot++) {
          Block part = window.part(new Block(), rank, slot * plan.tileRows(), plan.tileRows());
          assertTrue(part.offset() >= offsetOf(window, rank), "within the rank's parts");
          regions.add(region(part));
        }
        assertEquals(plan.slots() * plan.tileBytes(), window.parts(rank).byteSize());
      }
      for (int buffer = 0; buffer < StepWindow.STEPS; buffer++) {
        for (int origin = 0; origin < HOSTS.count(); origin++) {
          if (origin != host) {
            long rows = plan.mostRowsFromEach(host);
            regions.add(region(window.received(new Block(), buffer, origin, 0, rows)));
          }
        }
        if (plan.mostTotals() > 0) {
          regions.add(region(window.totals(new Block(), buffer, 0, plan.mostTotals())));
        }
      }
      assertApart(regions, SumWindow.bytes(plan, host));
    }
  }

  private static long offsetOf(SumWindow window, int rank) {
    return window.part(new Block(), rank, 0, 1).offset();
  }

  private static long[] region(Block block) {
    return new long[] {block.offset(), block.offset() + block.rows() * block.stride()};
  }

  private static void assertApart(List<long[]> regions, long bytes) {
    regions.sort(Comparator.comparingLong(region -> region[0]));
    long end = 0;
    for (long[] region : regions) {
      assertTrue(region[0] >= end, () -> "a region begins at " + region[0]);
      end = region[1];
    }
    assertTrue(end <= bytes, "the last region ends at " + end + " of " + bytes);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyCounterIsOfItsOwn(boolean scattered) {
    SumPlan plan = plan(scattered);
    for (int host = 0; host < HOSTS.count(); host++) {
      SumWindow window = window(plan, host);
      int ranks = HOSTS.size(host);
      for (int i = 0; i < ranks; i++) {
        int rank = HOSTS.member(host, i);
        window.publishComputed(rank, 100 + rank);
        window.publishAdded(rank, 200 + rank);
        window.publishTotalled(rank, 300 + rank);
      }
      int readers = StepWindow.readers(HOSTS, host);
      for (int reader = 0; reader < readers; reader++) {
        assertTrue(window.slots().pass(reader, 0, 400 + reader));
      }
      List<Integer> routes = routesInto(plan, host);
      routes.forEach(route -> window.publishArrived(route, 500 + route));
      for (int i = 0; i < ranks; i++) {
        int rank = HOSTS.member(host, i);
        assertEquals(100 + rank, window.computed(rank));
        assertEquals(200 + rank, window.added(rank));
        assertEquals(300 + rank, window.totalled(rank));
      }
      for (int reader = 0; reader < readers; reader++) {
        assertEquals(400 + reader, window.slots().passed(reader));
      }
      routes.forEach(route -> assertEquals(500 + route, window.arrived(route)));
    }
  }

  /** Of a reduce-scatter only those whose rows a rank of this host wants. */
  private static List<Integer> routesInto(SumPlan plan, int host) {
    List<Integer> routes = new ArrayList<>();
    for (int route = 0; route < plan.routes(); route++) {
      int block = plan.step().block(route);
      if (!plan.problem().scattered() || HOSTS.hostOf(block) == host) {
        routes.add(route);
      }
    }
    return routes;
  }

  /** What comes from other hosts says nothing of whether the ranks of this one get on. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void progressIsThatOfThisHost(boolean scattered) {
    SumPlan plan = plan(scattered);
    SumWindow window = window(plan, 0);
    long before = window.progress();
    window.publishArrived(routesInto(plan, 0).getFirst(), 5);
    assertEquals(before, window.progress());
    window.publishComputed(1, 1);
    assertEquals(before + 1, window.progress());
  }
}
