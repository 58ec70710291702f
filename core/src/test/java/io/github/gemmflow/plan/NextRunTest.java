// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.plan.NextRun.Soon;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

class NextRunTest {
  private static GatherLayout step(Hosts hosts, long... rows) {
    return step(Tuning.DEFAULT, hosts, rows);
  }

  private static GatherLayout step(Tuning tuning, Hosts hosts, long... rows) {
    GatherLayout step = Plans.alongRows(4, 1000, hosts, tuning).step();
    step.lay(rows);
    return step;
  }

  private static void assertRun(
      NextRun runs, GatherLayout step, long worthwhile, long from, long to) {
    assertTrue(runs.choose(step, worthwhile, Soon.NOTHING), "there is a run");
    assertEquals(from + "-" + to, runs.begin() + "-" + runs.end());
  }

  @Test
  void ownRowsThenTheHostsThenMostReady() {
    GatherLayout step = step(Hosts.of(0, 1, 0, 1, 2), 10, 10, 10, 10, 10);
    NextRun runs = new NextRun(2, 5);
    runs.reset(step);
    runs.ready(4, 46);
    runs.ready(3, 33);
    runs.ready(0, 5);
    runs.ready(2, 30);
    assertRun(runs, step, 1, 20, 33);
    assertRun(runs, step, 1, 0, 5);
    assertRun(runs, step, 1, 40, 46);
    assertFalse(runs.choose(step, 1, Soon.NOTHING));
    runs.ready(0, 10);
    runs.ready(1, 20);
    assertRun(runs, step, 1, 5, 20);
    assertFalse(runs.allTaken(step));
  }

  /** Decode: one row per rank is worth one product, not eight. */
  @Test
  void shortRunsWaitWhileTheyCanGrow() {
    GatherLayout step = step(Hosts.single(4), 1, 1, 0, 1);
    NextRun runs = new NextRun(1, 4);
    runs.reset(step);
    runs.ready(1, 2);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(3, 3);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(0, 1);
    assertRun(runs, step, 16, 0, 3);
    assertTrue(runs.allTaken(step));
  }

  @Test
  void withoutOverlapAllRowsAreOneRun() {
    Tuning tuning = Tuning.DEFAULT.withOverlap(Overlap.SEQUENTIAL);
    GatherLayout step = step(tuning, Hosts.of(0, 0, 1, 1), 40, 40, 0, 40);
    NextRun runs = new NextRun(1, 4);
    runs.reset(step);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(1, 80);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(0, 40);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(3, 119);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(3, 120);
    assertRun(runs, step, 16, 0, 120);
    assertTrue(runs.allTaken(step));
  }

  /** Rows that come sooner than another run would cost are worth waiting for; others are not. */
  @Test
  void longRunsWaitForRowsThatComeSoon() {
    GatherLayout step = step(Hosts.of(0, 0, 1), 40, 40, 40);
    NextRun runs = new NextRun(0, 3);
    runs.reset(step);
    assertFalse(runs.choose(step, 16, Soon.OF_THIS_HOST));
    assertFalse(runs.isPatient(), "nothing is ready");
    runs.ready(0, 40);
    assertFalse(runs.choose(step, 16, Soon.OF_THIS_HOST));
    assertTrue(runs.isPatient());
    runs.ready(1, 80);
    assertFalse(runs.choose(step, 16, Soon.ALL));
    assertTrue(runs.isPatient());
    assertTrue(runs.choose(step, 16, Soon.OF_THIS_HOST), "the rest comes from another host");
    assertEquals("0-80", runs.begin() + "-" + runs.end());
    assertFalse(runs.isPatient());
    runs.ready(2, 90);
    assertFalse(runs.choose(step, 16, Soon.ALL));
    assertFalse(runs.isPatient(), "too short in any case");
  }

  /** What is over waits for the rows that come after it; at the end there are none. */
  @Test
  void aRunThatCanGrowIsRound() {
    GatherLayout step = step(Hosts.single(2), 40, 40);
    NextRun runs = new NextRun(0, 2);
    runs.reset(step);
    runs.ready(0, 40);
    runs.ready(1, 67);
    assertRun(runs, step, 16, 0, 64);
    assertFalse(runs.choose(step, 16, Soon.NOTHING));
    runs.ready(1, 80);
    assertRun(runs, step, 16, 64, 80);
    assertTrue(runs.allTaken(step));
  }

  @Test
  void aShortRunBetweenTakenRowsIsTaken() {
    GatherLayout step = step(Hosts.single(3), 8, 2, 8);
    NextRun runs = new NextRun(0, 3);
    runs.reset(step);
    runs.ready(0, 8);
    assertRun(runs, step, 4, 0, 8);
    runs.ready(2, 18);
    assertRun(runs, step, 4, 10, 18);
    runs.ready(1, 9);
    assertFalse(runs.choose(step, 4, Soon.NOTHING));
    runs.ready(1, 10);
    assertRun(runs, step, 4, 8, 10);
    assertTrue(runs.allTaken(step));
  }

  /** Whatever arrives in whatever order: every row is taken once, and only when it is ready. */
  @Test
  void everyRowIsTakenOnceAndOnlyWhenReady() {
    for (long seed = 0; seed < 3000; seed++) {
      Draw draw = new Draw(seed);
      int ranks = draw.ranks();
      GatherLayout step = step(Hosts.of(draw.hosts(ranks)), draw.rows(ranks, 100));
      NextRun runs = new NextRun(draw.below(ranks), ranks);
      runs.reset(step);
      int worthwhile = 1 + draw.below(20);
      boolean[] ready = new boolean[(int) step.totalRows()];
      boolean[] taken = new boolean[ready.length];
      int left = ready.length;
      while (left > 0) {
        int route = draw.below(step.routes());
        long upTo = Math.min(step.end(route), runs.ready(route) + 1 + draw.below(10));
        for (long row = step.begin(route); row < upTo; row++) {
          ready[(int) row] = true;
        }
        runs.ready(route, upTo);
        while (draw.chance(0.8) && runs.choose(step, worthwhile, Soon.NOTHING)) {
          for (int row = (int) runs.begin(); row < runs.end(); row++) {
            assertTrue(ready[row], "row " + row + " is not ready");
            assertFalse(taken[row], "row " + row + " is taken");
            taken[row] = true;
            left--;
          }
        }
      }
      assertTrue(runs.allTaken(step));
    }
  }

  /** Slots are emptied first, a chunk at a time; own rows fill the gaps. */
  @Test
  void streamedRowsGoBeforeOwnOnes() {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED).withChunkRows(4);
    GatherLayout step = Plans.alongRows(4, 1000, Hosts.of(0, 0, 1), streamed).step();
    step.lay(new long[] {6, 10, 9});
    NextRun runs = new NextRun(0, step.bands());
    runs.reset(step);
    runs.ready(0, 6);
    assertRun(runs, step, 100, 0, 4);
    runs.ready(1, 10);
    runs.ready(2, 24);
    assertRun(runs, step, 100, 16, 20);
    assertRun(runs, step, 100, 6, 10);
    assertRun(runs, step, 100, 20, 24);
    assertRun(runs, step, 100, 4, 6);
    runs.ready(1, 16);
    runs.ready(2, 25);
    assertRun(runs, step, 100, 10, 14);
    assertRun(runs, step, 100, 14, 16);
    assertRun(runs, step, 100, 24, 25);
    assertTrue(runs.allTaken(step));
  }

  /** Own rows lie in one piece: nobody waits for slots any more, so they are one run. */
  @Test
  void ownRowsThatAreLeftOverAreOneRun() {
    Tuning streamed = Tuning.DEFAULT.withStorage(Storage.STREAMED).withChunkRows(4);
    GatherLayout step = Plans.alongRows(4, 1000, Hosts.of(0, 1), streamed).step();
    step.lay(new long[] {30, 6});
    NextRun runs = new NextRun(0, step.bands());
    runs.reset(step);
    runs.ready(0, 30);
    assertRun(runs, step, 1, 0, 4);
    runs.ready(1, 34);
    assertRun(runs, step, 1, 30, 34);
    assertRun(runs, step, 1, 4, 8);
    runs.ready(1, 36);
    assertRun(runs, step, 1, 34, 36);
    assertRun(runs, step, 1, 8, 30);
    assertTrue(runs.allTaken(step));
  }

  /** Chunks that share a slot are one run, or several that are worthwhile. */
  @Test
  void streamedChunksAreTakenTogether() {
    Tuning room = Tuning.DEFAULT.withStorage(Storage.STREAMED).withChunkRows(12);
    Tuning streamed = room.withChunkRows(2);
    GatherProblem problem = GatherProblem.alongRows(4, Capacity.of(1000, 4, room));
    GatherLayout step = GatherPlan.of(problem, Hosts.of(0, 1), streamed).step();
    step.lay(new long[] {0, 30});
    NextRun runs = new NextRun(0, step.bands());
    runs.reset(step);
    runs.ready(1, 4);
    assertFalse(runs.choose(step, 5, Soon.NOTHING));
    runs.ready(1, 8);
    assertRun(runs, step, 5, 0, 5);
    assertFalse(runs.choose(step, 5, Soon.NOTHING));
    runs.ready(1, 16);
    assertRun(runs, step, 5, 5, 12);
    assertFalse(runs.choose(step, 5, Soon.NOTHING));
    runs.ready(1, 30);
    assertRun(runs, step, 5, 12, 24);
    assertRun(runs, step, 5, 24, 30);
    assertTrue(runs.allTaken(step));
  }

  @Test
  void aStuckStreamHoldsUpNoOther() {
    long[] available = {3, 3, 3};
    long[] started = {2, 3, 1};
    long[] finished = {0, 3, 0};
    assertEquals(0, NextTransfer.choose(3, available, started, finished, 3));
    assertEquals(2, NextTransfer.choose(3, available, started, finished, 2));
    assertEquals(NextTransfer.NONE, NextTransfer.choose(3, available, started, finished, 1));
  }
}
