// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TrackedWorkTest {
  private final TrackedWork work = new TrackedWork(RowWork.NONE);

  @Test
  void rangesThatTouchAreOne() {
    work.done(10, 20);
    work.done(0, 5);
    assertFalse(work.isDone(0, 20));
    work.done(5, 10);
    assertTrue(work.isDone(0, 20));
    assertTrue(work.isDone(3, 17));
    assertFalse(work.isDone(0, 21));
    assertFalse(work.isDone(20, 21));
    assertTrue(work.isDone(21, 21));
  }

  /** Runs of one row, in any order, against a plain array. */
  @Test
  void anyOrder() {
    int rows = 60;
    Random random = new Random(7);
    boolean[] done = new boolean[rows];
    for (int left = rows; left > 0; ) {
      int row = random.nextInt(rows);
      if (!done[row]) {
        done[row] = true;
        work.done(row, row + 1);
        left--;
      }
      int first = random.nextInt(rows);
      int end = first + random.nextInt(rows - first + 1);
      boolean all = true;
      for (int i = first; i < end; i++) {
        all &= done[i];
      }
      assertEquals(all, work.isDone(first, end), first + " to " + end);
    }
    assertTrue(work.isDone(0, rows));
  }

  @Test
  void whoWaitsIsTold() {
    CompletableFuture<Boolean> early = work.whenDone(0, 5);
    CompletableFuture<Boolean> late = work.whenDone(0, 50);
    work.done(0, 10);
    assertTrue(early.getNow(false));
    assertFalse(late.isDone());
    work.end();
    assertFalse(late.getNow(true));
    assertTrue(work.whenDone(2, 3).getNow(false));
    assertFalse(work.whenDone(2, 30).getNow(true));
  }
}
