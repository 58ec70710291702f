// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.ChunkTraffic;
import io.github.gemmflow.pipeline.comm.StreamProgress;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.SlotRing;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.Transfers;

/** The rows of a step that gathers, on their way to all hosts. */
final class GatherTraffic implements ChunkTraffic {
  private final HostPeers peers;
  private final GatherWindow window;
  private final Arrivals arrivals;
  private final ArrivalRate pace;
  private final long[] forwarded;
  private final GatherStep step;
  private boolean slotsPassed;

  /** The traffic of the steps in a buffer. */
  GatherTraffic(
      GatherStep step, HostPeers peers, GatherWindow window, Arrivals arrivals, ArrivalRate pace) {
    this.step = step;
    this.peers = peers;
    this.window = window;
    this.arrivals = arrivals;
    this.pace = pace;
    this.forwarded = new long[GatherWindow.routes(peers.hosts().ranks())];
  }

  @Override
  public void start(Transfers transfers) {
    transfers.fill(step.layout());
    slotsPassed = !step.storage().hasSlots();
  }

  @Override
  public long sendable(int route) {
    if (step.storage().isSentFromOwnRows(step, route)) {
      return step.isWritten() ? step.layout().chunks(route) : 0;
    }
    return arrivals.chunks(step, route);
  }

  @Override
  public long receivable(int route) {
    return step.storage().receivable(step, route);
  }

  @Override
  public int tag(int route) {
    return route;
  }

  @Override
  public Block toSend(Block block, int route, long chunk) {
    return step.storage().toSend(block, step, route, chunk);
  }

  @Override
  public Block received(Block block, int route, long chunk) {
    return step.storage().received(block, step, route, chunk);
  }

  @Override
  public boolean isSynchronous(int route, long chunk) {
    return step.storage().isSynchronous(step, route, chunk);
  }

  @Override
  public boolean mayFollowHeader(int route, int sender) {
    return step.layout().shard(route) == sender && step.storage().mayFollowHeader();
  }

  @Override
  public void arrived(int route, long chunks) {
    arrivals.publish(step, route, chunks);
  }

  @Override
  public void learn(long bytes, long nanos) {
    pace.learn(bytes, nanos);
  }

  /** Lets go of the slots whose chunks have been passed on, or that this lane does not read. */
  @Override
  public int releaseSlots(StreamProgress sends) {
    if (slotsPassed) {
      return 0;
    }
    GatherLayout layout = step.layout();
    for (int band = 0; band < layout.bands(); band++) {
      forwarded[band] = layout.bandChunks(band);
    }
    for (int i = 0; i < sends.count(); i++) {
      if (!step.storage().isSentFromOwnRows(step, sends.route(i))) {
        int band = layout.band(sends.route(i));
        forwarded[band] = Math.min(forwarded[band], sends.finished(i));
      }
    }
    int news = 0;
    slotsPassed = true;
    for (int band = 0; band < layout.bands(); band++) {
      SlotRing slots = window.slots(band);
      long use = step.use(band);
      if (slots.pass(peers.commReader(), use, use + layout.slotsDone(band, forwarded[band]))) {
        news++;
      }
      slotsPassed &= slots.passed(peers.commReader()) >= use + layout.bandSlots(band);
    }
    if (news > 0) {
      peers.ringFillers();
    }
    return news;
  }

  @Override
  public boolean areSlotsReleased() {
    return slotsPassed;
  }
}
