// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.StreamProgress;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.Transfers;

/** Sums over the ranks of this host, on their way to where they are wanted. */
final class SumTraffic implements ChunkTraffic {
  private final HostPeers peers;
  private final SumStep step;
  private boolean passed;

  /** The traffic of the steps in a buffer. */
  SumTraffic(SumStep step, HostPeers peers) {
    this.step = step;
    this.peers = peers;
  }

  private SumLayout layout() {
    return step.layout();
  }

  @Override
  public void start(Transfers transfers) {
    transfers.fill(layout());
    passed = false;
  }

  @Override
  public long sendable(int route) {
    SumLayout layout = layout();
    long addedUpTo =
        layout.isTotal(route) ? step.totalledUpTo(peers.rank()) : step.addedUpTo(peers.rank());
    return layout.sendable(peers.host(), layout.block(route), addedUpTo);
  }

  @Override
  public long receivable(int route) {
    return layout().chunks(route);
  }

  /** Between two ranks, a block tells routes from one another. */
  @Override
  public int tag(int route) {
    return layout().block(route);
  }

  @Override
  public Block toSend(Block block, int route, long chunk) {
    return step.sum(block, peers.rank(), route, chunk);
  }

  @Override
  public Block received(Block block, int route, long chunk) {
    SumLayout layout = layout();
    long first = layout.chunkBegin(route, chunk);
    long rows = layout.chunkEnd(route, chunk) - first;
    return step.received(block, route, first, rows);
  }

  /** No: the receiver has room for all chunks. */
  @Override
  public boolean isSynchronous(int route, long chunk) {
    return false;
  }

  /** Totals come when all headers are here. */
  @Override
  public boolean mayFollowHeader(int route, int sender) {
    return !layout().isTotal(route);
  }

  @Override
  public void arrived(int route, long chunks) {
    step.publishArrived(route, chunks);
  }

  /** Sums come as fast as others compute them, which says nothing about the network. */
  @Override
  public void learn(long bytes, long nanos) {}

  /** Lets go of the slots before the first whose sums this rank has yet to send. */
  @Override
  public int releaseSlots(StreamProgress sends) {
    if (passed) {
      return 0;
    }
    SumLayout layout = layout();
    long position = layout.tiles();
    for (int i = 0; i < sends.count(); i++) {
      position = Math.min(position, layout.unsentPosition(sends.route(i), sends.finished(i)));
    }
    boolean news = step.pass(peers.commReader(), position);
    SlotRing slots = step.window().slots();
    passed = slots.passed(peers.commReader()) >= step.use(layout.tiles());
    if (news) {
      peers.ringHost();
    }
    return news ? 1 : 0;
  }

  @Override
  public boolean areSlotsReleased() {
    return passed;
  }
}
