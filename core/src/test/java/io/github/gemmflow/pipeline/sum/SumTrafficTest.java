// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.StreamProgress;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

/** Rank 0 alone on its host, ranks 1 and 2 on others; each gets its rows; tiles of 4 rows. */
class SumTrafficTest {
  private static final Hosts HOSTS = Hosts.of(0, 1, 2);

  private final SumPlan plan =
      SumPlan.of(
          new SumProblem(3, 3 * Float.BYTES, true, 100),
          HOSTS,
          Tuning.DEFAULT.withChunkRows(4).withSlots(2));
  private final SumStep step = new SumMemory(plan, 0).begin(1, 4, 8, 4);
  private final SumLayout layout = step.layout();
  private final HostPeers peers = new HostMemory(HOSTS, 0).rank(0);
  private final SumTraffic traffic = new SumTraffic(step, peers);

  @Test
  void aChunkLeavesWhenItsTileIsAddedUp() {
    for (int block = 1; block < 3; block++) {
      int route = layout.route(0, block);
      long chunks = layout.chunks(route);
      assertEquals(0, traffic.sendable(route));
      for (long piece = 0; piece < layout.pieces(block); piece++) {
        long position = layout.piecePosition(0, block, piece);
        if (step.addedUpTo(0) < position + 1) {
          step.publishAdded(0, position + 1);
        }
        assertEquals(layout.chunksBefore(block, piece + 1), traffic.sendable(route));
      }
      assertEquals(chunks, traffic.sendable(route));
      step.publishAdded(0, 0);
    }
  }

  @Test
  void everythingThatComesHasRoom() {
    for (int host = 1; host < 3; host++) {
      int route = layout.route(host, 0);
      assertEquals(layout.chunks(route), traffic.receivable(route));
      assertFalse(traffic.isSynchronous(route, 0));
      Block first = traffic.received(new Block(), route, 0);
      assertEquals(layout.chunkEnd(route, 0) - layout.chunkBegin(route, 0), first.rows());
      traffic.arrived(route, 1);
      assertEquals(1, step.arrived(route));
    }
    assertNotEquals(
        traffic.received(new Block(), layout.route(1, 0), 0).offset(),
        traffic.received(new Block(), layout.route(2, 0), 0).offset());
  }

  /** Between two ranks a block says which route it is. */
  @Test
  void tagsTellRoutesApart() {
    assertNotEquals(traffic.tag(layout.route(0, 1)), traffic.tag(layout.route(0, 2)));
    assertEquals(traffic.tag(layout.route(0, 1)), traffic.tag(layout.route(2, 1)));
  }

  /** The communication thread lets go of a slot when all that is in it has left. */
  @Test
  void slotsAreReleasedAsTheirSumsLeave() {
    Transfers transfers = new Transfers(0);
    traffic.start(transfers);
    assertFalse(traffic.areSlotsReleased());
    StreamProgress sends = new StreamProgress();
    sends.reset(transfers.sends(), layout);
    assertTrue(sends.count() > 0);
    int released = traffic.releaseSlots(sends);
    assertFalse(traffic.areSlotsReleased(), released + " slots hold what has not left");
    for (int i = 0; i < sends.count(); i++) {
      sends.complete(i);
    }
    assertEquals(1, traffic.releaseSlots(sends));
    assertTrue(traffic.areSlotsReleased());
    assertEquals(0, traffic.releaseSlots(sends));
  }
}
