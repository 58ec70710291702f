// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

class NextTileTest {
  /** Two ranks on one host, one on another; three rows, one for each rank. */
  private static final Hosts DOMAINS = Hosts.of(0, 0, 1);

  /** What rank 0 sees; a test sets it. */
  private static final class Seen implements NextTile.Progress {
    private long freeUpTo;
    private final long[] computedUpTo = new long[3];
    private final long[] addedUpTo = new long[3];
    private final long[] totalledUpTo = new long[3];
    private long arrived;

    @Override
    public boolean isFree(long position) {
      return position < freeUpTo;
    }

    @Override
    public boolean isComputed(int rank, long position) {
      return position < computedUpTo[rank];
    }

    @Override
    public boolean isAdded(int rank, long position) {
      return position < addedUpTo[rank];
    }

    @Override
    public boolean isTotalled(int rank, long position) {
      return position < totalledUpTo[rank];
    }

    @Override
    public long arrived(int route) {
      return arrived;
    }
  }

  private final Seen seen = new Seen();
  private final NextTile next = new NextTile(0, DOMAINS);

  private static SumLayout layout(boolean scattered, Overlap overlap) {
    return layout(scattered, Tuning.DEFAULT.withOverlap(overlap));
  }

  /** Rows for all are one tile, of which each rank sees to a row. */
  private static SumLayout layout(boolean scattered, Tuning more) {
    Tuning tuning = more.withChunkRows(scattered ? 1 : 3);
    SumLayout layout = SumPlan.of(new SumProblem(1, 4, scattered, 3), DOMAINS, tuning).step();
    layout.lay(scattered ? new long[] {1, 1, 1} : new long[] {3, 3, 3});
    return layout;
  }

  private void finishOne(SumLayout layout, Stage stage) {
    next.begin(layout, stage, 1);
    next.take(stage);
    assertTrue(next.finish(stage, next.job(stage)));
  }

  @Test
  void nothingIsComputedWithoutASlot() {
    SumLayout layout = layout(true, Overlap.PIPELINED);
    next.reset(layout);
    assertNull(next.choose(layout, seen));
    seen.freeUpTo = 1;
    assertEquals(Stage.COMPUTE, next.choose(layout, seen));
    next.begin(layout, Stage.COMPUTE, 2);
    assertEquals(0, next.position(Stage.COMPUTE));
    // The other host's row is the first.
    assertEquals(2, next.block(Stage.COMPUTE));
    next.take(Stage.COMPUTE);
    assertEquals(Stage.COMPUTE, next.choose(layout, seen), "a task is left");
    next.take(Stage.COMPUTE);
    assertNull(next.choose(layout, seen));
  }

  @Test
  void sumsForOtherHostsComeFirst() {
    SumLayout layout = layout(true, Overlap.PIPELINED);
    next.reset(layout);
    seen.freeUpTo = 3;
    finishOne(layout, Stage.COMPUTE);
    seen.computedUpTo[0] = 1;
    assertEquals(Stage.COMPUTE, next.choose(layout, seen), "rank 1 has not computed it");
    seen.computedUpTo[1] = 1;
    assertEquals(Stage.ADD_HOST, next.choose(layout, seen));
    finishOne(layout, Stage.ADD_HOST);
    assertEquals(3, next.doneUpTo(layout, Stage.ADD_HOST), "there is no other");
    finishOne(layout, Stage.COMPUTE);
    finishOne(layout, Stage.COMPUTE);
    seen.computedUpTo[0] = 3;
    seen.computedUpTo[1] = 3;
    assertNull(next.choose(layout, seen), "the other host's sum is not here");
    seen.arrived = 1;
    assertEquals(Stage.ADD_ALL, next.choose(layout, seen));
    assertFalse(next.isOver(layout));
    finishOne(layout, Stage.ADD_ALL);
    assertTrue(next.isOver(layout));
  }

  /** All want all rows, and one rank of a host adds each of them up for the others. */
  @Test
  void whatAnotherRankAddsUpIsWaitedFor() {
    SumLayout layout = layout(false, Overlap.PIPELINED);
    next.reset(layout);
    seen.computedUpTo[0] = 3;
    seen.computedUpTo[1] = 3;
    seen.arrived = 1;
    finishOne(layout, Stage.ADD_HOST);
    assertEquals(0, next.block(Stage.ADD_HOST));
    seen.addedUpTo[0] = 1;
    assertTrue(next.canGoOn(layout, Stage.ADD_ALL, seen));
    finishOne(layout, Stage.ADD_ALL);
    assertFalse(next.canGoOn(layout, Stage.ADD_ALL, seen), "row 1 is rank 1's to add up");
    seen.addedUpTo[1] = 1;
    assertTrue(next.canGoOn(layout, Stage.ADD_ALL, seen));
  }

  /** Each host adds up its own rows for all, and takes the totals of others. */
  @Test
  void aStagedSumIsAddedUpAtHome() {
    SumLayout layout = layout(false, Tuning.DEFAULT.withSums(SumPath.STAGED));
    next.reset(layout);
    seen.computedUpTo[0] = 1;
    seen.computedUpTo[1] = 1;
    finishOne(layout, Stage.ADD_HOST);
    assertEquals(2, next.block(Stage.ADD_HOST), "the other host's row");
    assertTrue(next.isDone(layout, Stage.ADD_HOST));
    assertFalse(next.canGoOn(layout, Stage.ADD_TOTAL, seen), "the other host's sum is not here");
    seen.arrived = 1;
    finishOne(layout, Stage.ADD_TOTAL);
    assertEquals(0, next.block(Stage.ADD_TOTAL));
    assertTrue(next.isDone(layout, Stage.ADD_TOTAL));
    assertFalse(next.canGoOn(layout, Stage.ADD_ALL, seen));
    seen.totalledUpTo[0] = 1;
    finishOne(layout, Stage.ADD_ALL);
    assertFalse(next.canGoOn(layout, Stage.ADD_ALL, seen), "row 1 is rank 1's to add up");
    seen.totalledUpTo[1] = 1;
    finishOne(layout, Stage.ADD_ALL);
    seen.arrived = 0;
    assertFalse(next.canGoOn(layout, Stage.ADD_ALL, seen), "the other host's total is not here");
    seen.arrived = 1;
    finishOne(layout, Stage.ADD_ALL);
    assertTrue(next.isDone(layout, Stage.ADD_ALL));
  }

  @Test
  void withoutOverlapAllIsComputedFirst() {
    SumLayout layout = layout(true, Overlap.SEQUENTIAL);
    next.reset(layout);
    seen.freeUpTo = 3;
    seen.computedUpTo[0] = 3;
    seen.computedUpTo[1] = 3;
    for (int i = 0; i < 3; i++) {
      assertEquals(Stage.COMPUTE, next.choose(layout, seen));
      finishOne(layout, Stage.COMPUTE);
    }
    assertEquals(Stage.ADD_HOST, next.choose(layout, seen));
  }

  @Test
  void aTileWithoutWorkIsDoneAtOnce() {
    SumLayout layout = layout(true, Overlap.PIPELINED);
    next.reset(layout);
    assertTrue(next.begin(layout, Stage.COMPUTE, 0));
    assertFalse(next.hasTask(Stage.COMPUTE));
    assertEquals(1, next.doneUpTo(layout, Stage.COMPUTE));
  }
}
