// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

/** Rank 0, with rank 1 on its host and rank 2 on another; chunks of two rows. */
class RowStorageTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1);
  private static final int ROW_BYTES = 8;

  private static GatherPlan plan(Storage storage) {
    Tuning tuning = Tuning.DEFAULT.withChunkRows(2).withSlots(2).withStorage(storage);
    return Plans.alongRows(ROW_BYTES, 40, HOSTS, tuning);
  }

  private static void assertSame(Block expected, Block actual) {
    assertEquals(expected.memory().address() + expected.offset(), address(actual));
    assertEquals(expected.rows(), actual.rows());
    assertEquals(expected.rowBytes(), actual.rowBytes());
  }

  private static long address(Block block) {
    return block.memory().address() + block.offset();
  }

  /** All ranks' rows are one matrix without gaps, whoever writes, sends, receives or reads them. */
  @Test
  void gatheredRowsAreOneMatrix() {
    GatherMemory memory = new GatherMemory(plan(Storage.GATHERED), 0);
    GatherStep step = memory.begin(1, 3, 4, 5);
    GatherLayout layout = step.layout();
    long start = address(step.storage().run(new Block(), step, 0, 0, 12));
    assertSame(
        step.storage().run(new Block(), step, 0, 0, 3), step.storage().input(new Block(), step));
    for (int rank = 0; rank < 3; rank++) {
      int route = layout.route(0, rank);
      for (long chunk = 0; chunk < layout.chunks(route); chunk++) {
        Block here = step.storage().received(new Block(), step, route, chunk);
        assertEquals(start + layout.chunkBegin(route, chunk) * ROW_BYTES, address(here));
        assertSame(here, step.storage().toSend(new Block(), step, route, chunk));
      }
      assertFalse(step.storage().isSentFromOwnRows(step, route));
    }
    GatherStep next = memory.begin(1, 3, 4, 5);
    assertNotEquals(
        start, address(next.storage().run(new Block(), next, 0, 0, 12)), "another buffer");
  }

  @Test
  void streamedRowsOfThisRankAreItsOwn() {
    GatherMemory memory = new GatherMemory(plan(Storage.STREAMED), 0);
    GatherStep step = memory.begin(1, 5, 4, 6);
    GatherLayout layout = step.layout();
    step.storage().reserve(step, 5);
    int route = layout.route(0, 0);
    assertTrue(step.storage().isSentFromOwnRows(step, route));
    assertFalse(step.storage().isSentFromOwnRows(step, layout.route(0, 2)));
    long input = address(step.storage().input(new Block(), step));
    for (long chunk = 0; chunk < layout.chunks(route); chunk++) {
      long from = layout.chunkBegin(route, chunk);
      assertEquals(
          input + from * ROW_BYTES,
          address(step.storage().toSend(new Block(), step, route, chunk)));
      assertEquals(
          input + from * ROW_BYTES,
          address(step.ownRows().chunk(new Block(), layout, route, chunk)));
      // Its neighbours read them in a slot.
      long slot = address(step.storage().received(new Block(), step, route, chunk));
      assertTrue(slot < input || slot >= input + 5 * ROW_BYTES);
    }
    step.ownRows().free();
  }

  /** The third chunk takes the place of the first. */
  @Test
  void streamedRowsOfOthersTakeSlotsInTurn() {
    GatherMemory memory = new GatherMemory(plan(Storage.STREAMED), 0);
    GatherStep step = memory.begin(1, 0, 0, 6);
    GatherLayout layout = step.layout();
    int route = layout.route(0, 2);
    long first = address(step.storage().received(new Block(), step, route, 0));
    long second = address(step.storage().received(new Block(), step, route, 1));
    assertTrue(Math.abs(second - first) >= 2 * ROW_BYTES);
    assertEquals(first, address(step.storage().received(new Block(), step, route, 2)));
    Block run = step.storage().run(new Block(), step, layout.band(route), 2, 4);
    assertEquals(second, address(run));
    assertEquals(2, run.rows());
    // Three uses so far: the next step goes on with the other slot.
    GatherStep next = memory.begin(1, 0, 0, 2);
    assertEquals(second, address(next.storage().received(new Block(), next, route, 0)));
  }
}
