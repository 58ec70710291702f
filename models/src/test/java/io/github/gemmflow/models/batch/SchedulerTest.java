// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  @Test
  void moreThanMayWaitAreRefused() {
    Scheduler scheduler = new Scheduler(1, 2, 1000);
    Scheduler.TaskMaker maker = id -> new Task(id, List.of(1), 1, 0, 1, 0);
    assertTrue(scheduler.submit(maker).isPresent());
    assertTrue(scheduler.submit(maker).isPresent());
    assertTrue(scheduler.submit(maker).isEmpty());
    assertEquals(1, scheduler.next().added().size());
    assertTrue(scheduler.submit(maker).isPresent());
    scheduler.end(new Generation.Event.Failure(true, "over"));
    assertTrue(scheduler.submit(maker).isEmpty());
  }

  /** A text takes the memory of its prompt, all that it may become, and 20 tokens more. */
  @Test
  void textsBeginWhenTheirMemoryIsFree() {
    Scheduler scheduler = new Scheduler(16, 64, 300);
    List<Generation> jobs = new ArrayList<>();
    for (int tokens : List.of(100, 80, 200, 1)) {
      jobs.add(
          scheduler.submit(id -> new Task(id, List.of(1, 2), tokens - 2, 0, 1, 0)).orElseThrow());
    }
    assertEquals(List.of(0L, 1L), ids(scheduler.next()));
    scheduler.finished(jobs.get(1).task().id(), true);
    // 180 are free: the next one needs 220, and later ones do not overtake it.
    assertEquals(List.of(), ids(scheduler.next()));
    scheduler.finished(jobs.get(0).task().id(), true);
    assertEquals(List.of(2L, 3L), ids(scheduler.next()));
  }

  private static List<Long> ids(News news) {
    return news.added().stream().map(Task::id).toList();
  }
}
