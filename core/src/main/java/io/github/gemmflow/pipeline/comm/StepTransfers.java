// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepHeaders;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Schedule;
import java.util.Arrays;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Transfers of the steps in a buffer: this rank's headers and chunks, to and from other hosts. */
final class StepTransfers {
  private static final int NO_REQUEST = -1;

  private final HostPeers peers;
  private final StepWindow window;
  private final StepContext step;
  private final Recorder recorder;
  private final Channel channel;
  private final int firstTag;
  private final Transfers transfers;
  private final Block block = new Block();
  private final StreamProgress sends = new StreamProgress();
  private final StreamProgress receives = new StreamProgress();
  private final int[] headerTargets;
  private final int[] headerSources;
  private final int[] headerRequests;

  private @Nullable ChunkTraffic traffic;
  private boolean headersStarted;
  private int headersLeft;
  private boolean chunksStarted;
  private long received;
  private long receivedFirst;
  private long receivedFirstAt;

  StepTransfers(
      HostPeers peers,
      StepWindow window,
      StepContext step,
      Recorder recorder,
      Channel channel,
      int firstTag) {
    this.peers = peers;
    this.window = window;
    this.step = step;
    this.recorder = recorder;
    this.channel = channel;
    this.firstTag = firstTag;
    this.transfers = new Transfers(peers.rank());
    this.headerTargets = headerTargets(peers);
    this.headerSources = headerSources(peers);
    this.headerRequests = new int[headerTargets.length + headerSources.length];
    Arrays.fill(headerRequests, NO_REQUEST);
  }

  static int tags(int ranks) {
    return ranks * Schedule.MAX_PARTS + 1;
  }

  private static int[] headerTargets(HostPeers peers) {
    Domains domains = peers.domains();
    int[] targets = new int[domains.count() - 1];
    for (int i = 0; i < targets.length; i++) {
      int domain = (peers.domain() + 1 + i) % domains.count();
      targets[i] = StepHeaders.owner(domains, domain, peers.rank());
    }
    return targets;
  }

  private static int[] headerSources(HostPeers peers) {
    Domains domains = peers.domains();
    int[] sources = new int[domains.ranks()];
    int count = 0;
    for (int rank = 0; rank < sources.length; rank++) {
      boolean remote = domains.domainOf(rank) != peers.domain();
      if (remote && StepHeaders.owner(domains, peers.domain(), rank) == peers.rank()) {
        sources[count++] = rank;
      }
    }
    return Arrays.copyOf(sources, count);
  }

  /** Turns to a new step. The lane sees to it that the old one is finished. */
  void open() {
    headersStarted = false;
    chunksStarted = false;
    headersLeft = headerRequests.length;
  }

  /** Says what travels in the step, whose rows are known now. */
  void lay(ChunkTraffic newTraffic) {
    traffic = newTraffic;
  }

  private ChunkTraffic traffic() {
    return Objects.requireNonNull(traffic);
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
          window.headers().publish(headerSources[i - headerTargets.length], step.number());
          peers.ringHost();
        }
      }
    }
    return done;
  }

  private void startHeaders() {
    headersStarted = true;
    StepHeaders headers = window.headers();
    int tag = firstTag + tags(peers.domains().ranks()) - 1;
    int next = 0;
    for (int target : headerTargets) {
      // Synchronous, so that a rank with nothing to wait for cannot run away from the others.
      headerRequests[next++] =
          channel.send(target, tag, headers.block(block, step.number(), peers.rank()), true);
    }
    for (int source : headerSources) {
      headerRequests[next++] =
          channel.receive(source, tag, headers.block(block, step.number(), source));
    }
  }

  int pollChunks() {
    if (!chunksStarted) {
      chunksStarted = true;
      startStep();
    }
    return finishReceives()
        + sends.finish(channel)
        + traffic().releaseSlots(sends)
        + startReceives()
        + startSends();
  }

  private void startStep() {
    traffic().start(transfers);
    sends.reset(transfers.sends(), step.layout().inFlight());
    receives.reset(transfers.receives(), step.layout().inFlight());
    received = 0;
    receivedFirst = 0;
  }

  private int finishReceives() {
    int done = 0;
    for (int i = 0; i < receives.count(); i++) {
      int finished = receives.finish(channel, i);
      if (finished > 0) {
        // First, because a step may be over as soon as its last rows are published.
        recordArrival(receives.route(i), receives.finished(i) - finished, receives.finished(i));
        count(receives.route(i), receives.finished(i) - finished, receives.finished(i));
        traffic().arrived(receives.route(i), receives.finished(i));
        done += finished;
      }
    }
    if (done > 0) {
      peers.ringHost();
      learnPace();
    }
    return done;
  }

  private void count(int route, long fromChunk, long toChunk) {
    Layout layout = step.layout();
    long rows = layout.chunkBegin(route, toChunk) - layout.chunkBegin(route, fromChunk);
    received += rows * layout.columnBytes(route);
  }

  /** From the first arrival on: when that was says more about the other rank than the network. */
  private void learnPace() {
    if (receivedFirst == 0) {
      receivedFirst = received;
      receivedFirstAt = System.nanoTime();
    } else if (receives.isIdle() && receives.isAllStarted(step.layout())) {
      traffic().learn(received - receivedFirst, System.nanoTime() - receivedFirstAt);
    }
  }

  private void recordArrival(int route, long fromChunk, long toChunk) {
    Recorder.Mark mark = recorder.begin(Span.Kind.ARRIVAL);
    if (mark != null) {
      long first = step.layout().chunkBegin(route, fromChunk);
      long rows = step.layout().chunkBegin(route, toChunk) - first;
      recorder.end(mark, step.number(), Span.COMM, first, rows);
    }
  }

  private int startReceives() {
    int done = 0;
    for (int i = 0; i < receives.count(); i++) {
      receives.available(i, traffic().receivable(receives.route(i)));
    }
    for (int i = receives.next(); i >= 0; i = receives.next()) {
      int route = receives.route(i);
      Block target = traffic().received(block, route, receives.started(i));
      receives.start(i, channel.receive(receives.peer(i), tag(route), target));
      done++;
    }
    return done;
  }

  /** The last tag of a workspace is that of the headers. */
  private int tag(int route) {
    int chunkTags = tags(peers.domains().ranks()) - 1;
    return firstTag + Objects.checkIndex(traffic().tag(route), chunkTags);
  }

  private int startSends() {
    int done = 0;
    for (int i = 0; i < sends.count(); i++) {
      sends.available(i, traffic().sendable(sends.route(i)));
    }
    for (int i = sends.next(); i >= 0; i = sends.next()) {
      int route = sends.route(i);
      long chunk = sends.started(i);
      boolean synchronous = traffic().isSynchronous(route, chunk);
      Block source = traffic().toSend(block, route, chunk);
      sends.start(i, channel.send(sends.peer(i), tag(route), source, synchronous));
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
    return chunksStarted
        && sends.isAllStarted(step.layout())
        && receives.isAllStarted(step.layout());
  }

  boolean isFinished() {
    return hasAllHeaders()
        && isAllStarted()
        && sends.isIdle()
        && receives.isIdle()
        && traffic().areSlotsReleased();
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
      sends.describe(step.layout(), "were not taken by", text);
      receives.describe(step.layout(), "did not arrive from", text);
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
