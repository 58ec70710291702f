// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TileJobsTest {
  private final TileJobs jobs = new TileJobs();

  @BeforeEach
  void reset() {
    jobs.reset();
  }

  @Test
  void tasksOfTheLastTileAreTakenOnce() {
    assertFalse(jobs.hasTask());
    jobs.begin(7, 2);
    assertEquals(0, jobs.take());
    assertTrue(jobs.hasTask());
    assertEquals(1, jobs.take());
    assertFalse(jobs.hasTask());
    assertEquals(7, jobs.position(jobs.last()));
  }

  @Test
  void onlyAPrefixCountsAsDone() {
    for (int position = 0; position < 3; position++) {
      jobs.begin(10 + position, 1);
      jobs.take();
    }
    assertFalse(jobs.finish(1));
    assertFalse(jobs.finish(2));
    assertEquals(10, jobs.firstUndone());
    assertTrue(jobs.finish(0));
    assertFalse(jobs.isBusy());
  }

  @Test
  void aTileIsDoneWithItsLastTask() {
    jobs.begin(0, 2);
    jobs.take();
    jobs.take();
    assertFalse(jobs.finish(0));
    assertTrue(jobs.isBusy());
    assertTrue(jobs.finish(0));
    assertFalse(jobs.isBusy());
  }

  @Test
  void aTileWithoutTasksIsDoneAtOnceUnlessOneBeforeItIsNot() {
    jobs.begin(0, 1);
    jobs.take();
    jobs.begin(1, 0);
    assertFalse(jobs.settle());
    assertTrue(jobs.finish(0));
    assertFalse(jobs.isBusy());
    jobs.begin(2, 0);
    assertTrue(jobs.settle());
  }

  @Test
  void fourTilesAreUnderWayAtMostAndTheirPlacesAreUsedAgain() {
    for (int position = 0; position < 4; position++) {
      assertFalse(jobs.isFull());
      jobs.begin(position, 1);
      jobs.take();
    }
    assertTrue(jobs.isFull());
    assertFalse(jobs.finish(3));
    assertTrue(jobs.isFull());
    assertTrue(jobs.finish(0));
    assertFalse(jobs.isFull());
    jobs.begin(4, 1);
    assertEquals(4, jobs.position(jobs.last()));
    assertEquals(1, jobs.firstUndone());
  }
}
