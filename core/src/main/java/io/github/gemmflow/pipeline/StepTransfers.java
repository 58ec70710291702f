// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Domains;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;
import java.util.Arrays;
import java.util.StringJoiner;

/** The transfers of one slot's step: this rank's headers and chunks, to and from other hosts. */
final class StepTransfers {
  private static final int NO_REQUEST = -1;

  private final Members members;
  private final Space space;
  private final Places places;
  private final Arrivals arrivals;
  private final Pace pace;
  private final Recorder recorder;
  private final Channel channel;
  private final int firstTag;
  private final Transfers transfers;
  private final Block block = new Block();
  private final Flow sends = new Flow();
  private final Flow receives = new Flow();
  private final int[] headerTargets;
  private final int[] headerSources;
  private final int[] headerRequests;

  private OpenStep step;
  private boolean headersStarted;
  private int headersLeft;
  private boolean chunksStarted;
  private boolean slotsPassed;
  private final long[] forwarded;
  private long received;
  private long receivedFirst;
  private long receivedFirstAt;

  StepTransfers(
      Members members,
      Space space,
      Places places,
      Arrivals arrivals,
      Pace pace,
      Recorder recorder,
      Channel channel,
      int firstTag) {
    this.members = members;
    this.space = space;
    this.places = places;
    this.arrivals = arrivals;
    this.pace = pace;
    this.recorder = recorder;
    this.channel = channel;
    this.firstTag = firstTag;
    this.transfers = new Transfers(members.rank());
    this.headerTargets = headerTargets(members);
    this.headerSources = headerSources(members);
    this.headerRequests = new int[headerTargets.length + headerSources.length];
    Arrays.fill(headerRequests, NO_REQUEST);
    this.forwarded = new long[members.domains().ranks() * Schedule.MAX_PARTS];
    this.step = new OpenStep(0, 0, 0);
  }

  static int tags(int ranks) {
    return ranks * Schedule.MAX_PARTS + 1;
  }

  private static int[] headerTargets(Members members) {
    Domains domains = members.domains();
    int[] targets = new int[domains.count() - 1];
    for (int i = 0; i < targets.length; i++) {
      int domain = (members.domain() + 1 + i) % domains.count();
      targets[i] = Headers.owner(domains, domain, members.rank());
    }
    return targets;
  }

  private static int[] headerSources(Members members) {
    Domains domains = members.domains();
    int[] sources = new int[domains.ranks()];
    int count = 0;
    for (int rank = 0; rank < sources.length; rank++) {
      boolean remote = domains.of(rank) != members.domain();
      if (remote && Headers.owner(domains, members.domain(), rank) == members.rank()) {
        sources[count++] = rank;
      }
    }
    return Arrays.copyOf(sources, count);
  }

  /** Turns to a new step. The lane sees to it that the old one is finished. */
  void bind(OpenStep newStep) {
    step = newStep;
    headersStarted = false;
    chunksStarted = false;
    headersLeft = headerRequests.length;
  }

  /**
   * Moves the headers on.
   *
   * @param mayFinish whether those of all steps before have arrived: a header counter never goes
   *     back
   */
  int pollHeaders(boolean mayFinish) {
    if (!headersStarted) {
      startHeaders();
      return 1;
    }
    if (!mayFinish) {
      return 0;
    }
    int done = 0;
    for (int i = 0; headersLeft > 0 && i < headerRequests.length; i++) {
      if (headerRequests[i] != NO_REQUEST && channel.isDone(headerRequests[i])) {
        headerRequests[i] = NO_REQUEST;
        headersLeft--;
        done++;
        if (i >= headerTargets.length) {
          space.headers().publish(headerSources[i - headerTargets.length], step.number());
          members.ringHost();
        }
      }
    }
    return done;
  }

  private void startHeaders() {
    headersStarted = true;
    Headers headers = space.headers();
    int tag = firstTag + tags(members.domains().ranks()) - 1;
    int next = 0;
    for (int target : headerTargets) {
      // Synchronous, so that a rank with nothing to wait for cannot run away from the others.
      headerRequests[next++] =
          channel.send(target, tag, headers.block(block, step.number(), members.rank()), true);
    }
    for (int source : headerSources) {
      headerRequests[next++] =
          channel.receive(source, tag, headers.block(block, step.number(), source));
    }
  }

  int pollChunks() {
    StepPlan plan = step.plan();
    if (!chunksStarted) {
      chunksStarted = true;
      int inFlight = plan.plan().tuning().inFlight();
      transfers.of(plan);
      sends.reset(transfers.sends(), inFlight);
      receives.reset(transfers.receives(), inFlight);
      slotsPassed = !plan.plan().isStreamed();
      received = 0;
      receivedFirst = 0;
    }
    return finishReceives()
        + sends.finish(channel)
        + passSlots(plan)
        + startReceives(plan)
        + startSends(plan);
  }

  /** Lets go of the slots whose chunks have been passed on, or that this lane does not read. */
  private int passSlots(StepPlan plan) {
    if (slotsPassed) {
      return 0;
    }
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

  private int finishReceives() {
    int done = 0;
    for (int i = 0; i < receives.count(); i++) {
      int finished = receives.finish(channel, i);
      if (finished > 0) {
        // First, because a step may be over as soon as its last rows are published.
        recordArrival(receives.route(i), receives.finished(i) - finished, receives.finished(i));
        count(receives.route(i), receives.finished(i) - finished, receives.finished(i));
        arrivals.publish(step, receives.route(i), receives.finished(i));
        done += finished;
      }
    }
    if (done > 0) {
      members.ringHost();
      learnPace();
    }
    return done;
  }

  private void count(int route, long fromChunk, long toChunk) {
    StepPlan plan = step.plan();
    long rows = plan.chunkBegin(route, toChunk) - plan.chunkBegin(route, fromChunk);
    received += rows * plan.columnBytes(route);
  }

  /** From the first arrival on: when that was says more about the other rank than the network. */
  private void learnPace() {
    if (receivedFirst == 0) {
      receivedFirst = received;
      receivedFirstAt = System.nanoTime();
    } else if (receives.isIdle() && receives.isAllStarted(step.plan())) {
      pace.learn(received - receivedFirst, System.nanoTime() - receivedFirstAt);
    }
  }

  private void recordArrival(int route, long fromChunk, long toChunk) {
    long now = recorder.begin();
    if (now != 0) {
      long first = step.plan().chunkBegin(route, fromChunk);
      long rows = step.plan().chunkBegin(route, toChunk) - first;
      recorder.end(Span.Kind.ARRIVAL, Span.COMM, now, first, rows);
    }
  }

  private int startReceives(StepPlan plan) {
    int done = 0;
    for (int i = 0; i < receives.count(); i++) {
      receives.available(i, room(plan, receives.route(i)));
    }
    for (int i = receives.next(); i >= 0; i = receives.next()) {
      int route = receives.route(i);
      Block target = places.received(block, step, route, receives.started(i));
      receives.start(i, channel.receive(receives.peer(i), firstTag + route, target));
      done++;
    }
    return done;
  }

  /** How many chunks of a route there is room for. */
  private long room(StepPlan plan, int route) {
    long chunks = plan.chunks(route);
    if (!plan.plan().isStreamed()) {
      return chunks;
    }
    int band = plan.band(route);
    return Math.min(chunks, space.slots(band).filledUpTo() - step.use(band));
  }

  /** How many chunks of a route are here to be sent. */
  private long there(StepPlan plan, int route) {
    if (places.isSentFromHome(step, route)) {
      return step.isWritten() ? plan.chunks(route) : 0;
    }
    return arrivals.chunks(step, route);
  }

  private int startSends(StepPlan plan) {
    int done = 0;
    for (int i = 0; i < sends.count(); i++) {
      sends.available(i, there(plan, sends.route(i)));
    }
    for (int i = sends.next(); i >= 0; i = sends.next()) {
      int route = sends.route(i);
      long chunk = sends.started(i);
      // So that a sender cannot run away from its receiver, which has room for all chunks or some.
      boolean synchronous = plan.plan().isStreamed() || chunk == plan.chunks(route) - 1;
      Block source = places.toSend(block, step, route, chunk);
      sends.start(i, channel.send(sends.peer(i), firstTag + route, source, synchronous));
      done++;
    }
    return done;
  }

  /** How many transfers are under way. */
  int underWay() {
    return headersLeft + (chunksStarted ? sends.underWay() + receives.underWay() : 0);
  }

  boolean hasAllHeaders() {
    return headersStarted && headersLeft == 0;
  }

  /** Whether every chunk that this rank sends or receives in the step is under way or done. */
  boolean isAllStarted() {
    return chunksStarted && sends.isAllStarted(step.plan()) && receives.isAllStarted(step.plan());
  }

  boolean isFinished() {
    return hasAllHeaders() && isAllStarted() && sends.isIdle() && receives.isIdle() && slotsPassed;
  }

  /** What is under way, for a person; empty if nothing is. */
  String describe() {
    StringJoiner text = new StringJoiner("; ");
    for (int i = 0; i < headerRequests.length; i++) {
      if (headerRequests[i] != NO_REQUEST) {
        boolean sent = i < headerTargets.length;
        int rank = sent ? headerTargets[i] : headerSources[i - headerTargets.length];
        text.add("rank %d did not begin the step".formatted(rank));
      }
    }
    if (chunksStarted) {
      sends.describe(step.plan(), "were not taken by", text);
      receives.describe(step.plan(), "did not arrive from", text);
    }
    return text.toString();
  }

  /**
   * Gives up all that is under way; returns whether the window is certainly untouched from now on.
   */
  boolean cancel() {
    boolean clean = sends.cancel(channel);
    clean &= receives.cancel(channel);
    for (int i = 0; i < headerRequests.length; i++) {
      if (headerRequests[i] != NO_REQUEST) {
        clean &= channel.cancel(headerRequests[i]);
        headerRequests[i] = NO_REQUEST;
      }
    }
    return clean;
  }
}
