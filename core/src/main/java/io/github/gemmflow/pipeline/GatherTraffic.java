// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.plan.Transfers;

/** The rows of a step that gathers, on their way to all hosts. */
final class GatherTraffic implements Traffic {
  private final Members members;
  private final Space space;
  private final Places places;
  private final Arrivals arrivals;
  private final Pace pace;
  private final long[] forwarded;
  private OpenStep step;
  private boolean slotsPassed;

  GatherTraffic(Members members, Space space, Places places, Arrivals arrivals, Pace pace) {
    this.members = members;
    this.space = space;
    this.places = places;
    this.arrivals = arrivals;
    this.pace = pace;
    this.forwarded = new long[members.domains().ranks() * Schedule.MAX_PARTS];
    this.step = new OpenStep(0, 0, 0);
  }

  @Override
  public void start(OpenStep newStep, Transfers transfers) {
    step = newStep;
    transfers.of(step.plan());
    slotsPassed = !step.plan().plan().isStreamed();
  }

  @Override
  public long there(int route) {
    if (places.isSentFromHome(step, route)) {
      return step.isWritten() ? step.plan().chunks(route) : 0;
    }
    return arrivals.chunks(step, route);
  }

  @Override
  public long room(int route) {
    StepPlan plan = step.plan();
    long chunks = plan.chunks(route);
    if (!plan.plan().isStreamed()) {
      return chunks;
    }
    int band = plan.band(route);
    return Math.min(chunks, space.slots(band).filledUpTo() - step.use(band));
  }

  @Override
  public int tag(int route) {
    return route;
  }

  @Override
  public Block toSend(Block block, int route, long chunk) {
    return places.toSend(block, step, route, chunk);
  }

  @Override
  public Block received(Block block, int route, long chunk) {
    return places.received(block, step, route, chunk);
  }

  /** So that a sender cannot run away from its receiver, which has room for all chunks or some. */
  @Override
  public boolean isSynchronous(int route, long chunk) {
    StepPlan plan = step.plan();
    return plan.plan().isStreamed() || chunk == plan.chunks(route) - 1;
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
  public int pass(Flow sends) {
    if (slotsPassed) {
      return 0;
    }
    StepPlan plan = step.plan();
    for (int band = 0; band < plan.bands(); band++) {
      forwarded[band] = plan.bandChunks(band);
    }
    for (int i = 0; i < sends.count(); i++) {
      if (!places.isSentFromHome(step, sends.route(i))) {
        int band = plan.band(sends.route(i));
        forwarded[band] = Math.min(forwarded[band], sends.finished(i));
      }
    }
    int news = 0;
    slotsPassed = true;
    for (int band = 0; band < plan.bands(); band++) {
      SlotRing slots = space.slots(band);
      long use = step.use(band);
      if (slots.pass(members.commReader(), use, use + forwarded[band])) {
        news++;
      }
      slotsPassed &= slots.passed(members.commReader()) >= use + plan.bandChunks(band);
    }
    if (news > 0) {
      members.ringFillers();
    }
    return news;
  }

  @Override
  public boolean isPassed() {
    return slotsPassed;
  }
}
