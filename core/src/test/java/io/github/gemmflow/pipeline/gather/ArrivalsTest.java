// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

/** Rank 0, with rank 1 on its host and ranks 2 and 3 on another; chunks of two rows. */
class ArrivalsTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1, 1);
  private static final int ROW_BYTES = 8;
  private static final long OPERATOR = 3;

  private final HostMemory host = new HostMemory(HOSTS, 0);
  private final GatherMemory memory = new GatherMemory(plan(Storage.GATHERED), 0);
  private final Arrivals arrivals = arrivals(memory);

  private static GatherPlan plan(Storage storage) {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(2).withSlots(2).withStorage(storage);
    return Plans.alongRows(ROW_BYTES, 100, HOSTS, tuning);
  }

  private Arrivals arrivals(GatherMemory of) {
    HeaderCheck headers = new HeaderCheck(host.rank(0), host.headers());
    return new Arrivals(host.rank(0), of.window(), headers, host.news());
  }

  private void header(GatherStep step, int rank) {
    header(step, rank, OPERATOR);
  }

  private void header(GatherStep step, int rank, long operator) {
    GatherLayout layout = step.layout();
    host.begin(rank, step.open().number(), operator, layout.rows(rank), layout.countsHash());
  }

  private static long ready(Arrivals arrivals, GatherStep step, int rank) {
    NextRun runs = new NextRun(0, step.layout().bands());
    runs.reset(step.layout());
    arrivals.update(step, runs);
    return runs.ready(step.layout().band(step.layout().route(0, rank)));
  }

  @Test
  void chunksOfLaterStepsDoNotCount() {
    GatherStep first = memory.begin(OPERATOR, 4, 0, 5, 0);
    int route = first.layout().route(0, 2);
    assertEquals(3, first.layout().chunks(route));
    arrivals.publish(first, route, 2);
    assertEquals(2, arrivals.chunks(first, route));
    GatherStep second = memory.begin(OPERATOR, 0, 0, 9, 0);
    assertTrue(
        arrivals.chunks(second, route) <= 0, "what is missing of the first step comes before");
    arrivals.publish(second, route, 4);
    assertEquals(3, arrivals.chunks(first, route));
    assertEquals(4, arrivals.chunks(second, route));
  }

  /** Rank 0 itself brings in the rows of rank 2, or its neighbour does. */
  @Test
  void rowsAreReadyWhenTheHeadersOfHolderAndBringerAgree() {
    GatherStep step = memory.begin(OPERATOR, 4, 2, 5, 3);
    GatherLayout layout = step.layout();
    for (int rank = 1; rank < 4; rank++) {
      int route = layout.route(0, rank);
      int bringer = layout.owner(0, route);
      arrivals.publish(step, route, layout.chunks(route));
      assertEquals(layout.begin(route), ready(arrivals, step, rank), "no header");
      header(step, rank);
      if (!host.headers().isThere(bringer, 0)) {
        assertEquals(layout.begin(route), ready(arrivals, step, rank), "only the holder's");
        header(step, bringer);
      }
      assertEquals(layout.end(route), ready(arrivals, step, rank));
    }
  }

  @Test
  void rowsOfAnotherOperatorAreNotReady() {
    GatherStep step = memory.begin(OPERATOR, 4, 0, 5, 0);
    int route = step.layout().route(0, 2);
    arrivals.publish(step, route, 3);
    header(step, step.layout().owner(0, route));
    header(step, 2, OPERATOR + 1);
    assertThrows(DisagreementException.class, () -> ready(arrivals, step, 2));
  }

  @Test
  void onlyCompleteChunksAreReady() {
    GatherStep step = memory.begin(OPERATOR, 4, 0, 5, 0);
    int route = step.layout().route(0, 2);
    header(step, 2);
    header(step, step.layout().owner(0, route));
    for (long chunks = 0; chunks <= 3; chunks++) {
      arrivals.publish(step, route, chunks);
      assertEquals(4 + Math.min(5, 2 * chunks), ready(arrivals, step, 2));
    }
  }

  @Test
  void whoAndWhatIsMissing() {
    GatherStep step = memory.begin(OPERATOR, 4, 1, 5, 2);
    GatherLayout layout = step.layout();
    for (int rank = 0; rank < 4; rank++) {
      assertTrue(arrivals.isMissing(step, rank));
      header(step, rank);
      assertTrue(arrivals.isMissing(step, rank), "its rows are");
    }
    long mine = 0;
    for (int rank = 2; rank < 4; rank++) {
      int route = layout.route(0, rank);
      mine += layout.owner(0, route) == 0 ? layout.rows(rank) * ROW_BYTES : 0;
    }
    assertEquals(mine, arrivals.bytesToReceive(step));
    arrivals.publishOwn(step);
    assertFalse(arrivals.isMissing(step, 0));
    assertFalse(arrivals.areAllMissingOnThisHost(step));
    for (int rank = 2; rank < 4; rank++) {
      int route = layout.route(0, rank);
      arrivals.publish(step, route, layout.chunks(route));
    }
    assertEquals(0, arrivals.bytesToReceive(step));
    assertTrue(arrivals.areAllMissingOnThisHost(step), "rank 1 is");
    arrivals.publish(step, layout.route(0, 1), 1);
    assertFalse(arrivals.isMissing(step, 1));
  }

  @Test
  void ownRowsAreNews() {
    GatherStep step = memory.begin(OPERATOR, 4, 0, 0, 0);
    long before = arrivals.progress();
    arrivals.publishOwn(step);
    assertTrue(arrivals.progress() > before);
    long then = arrivals.progress();
    header(step, 1);
    assertTrue(arrivals.progress() > then);
  }

  /** Two slots: the third chunk waits until the slowest reader has passed the first. */
  @Test
  void streamedRowsWaitForTheSlowestReader() {
    GatherMemory streamed = new GatherMemory(plan(Storage.STREAMED), 0);
    Arrivals there = arrivals(streamed);
    GatherStep step = streamed.begin(OPERATOR, 0, 0, 8, 0);
    GatherLayout layout = step.layout();
    int route = layout.route(0, 2);
    int band = layout.band(route);
    assertTrue(there.hasRoom(step, route, 0) && there.hasRoom(step, route, 1));
    assertFalse(there.hasRoom(step, route, 2));
    assertFalse(there.areHeldUp(step));
    there.publish(step, route, 2);
    assertTrue(there.areHeldUp(step));
    for (int reader = 0; reader < 4; reader++) {
      assertFalse(there.hasRoom(step, route, 2), "reader " + reader + " reads it");
      assertTrue(streamed.window().slots(band).pass(reader, step.use(band), step.use(band) + 1));
    }
    assertTrue(there.hasRoom(step, route, 2));
    assertFalse(there.areHeldUp(step));
    // In the next step the slots are numbered on.
    GatherStep second = streamed.begin(OPERATOR, 0, 0, 2, 0);
    assertEquals(step.use(band) + layout.bandSlots(band), second.use(band));
    assertFalse(there.hasRoom(second, route, 0));
  }

  @Test
  void gatheredRowsHaveRoom() {
    GatherStep step = memory.begin(OPERATOR, 0, 0, 50, 0);
    assertTrue(arrivals.hasRoom(step, step.layout().route(0, 2), 24));
    assertFalse(arrivals.areHeldUp(step));
  }
}
