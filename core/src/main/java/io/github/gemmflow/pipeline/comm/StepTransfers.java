// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.News;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.StepOrder;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Schedule;
import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Transfers of the steps in a buffer: this rank's headers and chunks, to and from other hosts. */
final class StepTransfers {
  /** A header that could take rows along waits no longer for them, in nanoseconds. */
  static final long LONGEST_WAIT = 1_000_000;

  private final HostPeers peers;
  private final StepContext step;
  private final Recorder recorder;
  private final News news;
  private final Channel channel;
  private final int firstTag;
  private final Transfers transfers;
  private final Block block = new Block();
  private final StreamProgress sends = new StreamProgress();
  private final StreamProgress receives = new StreamProgress();
  private final Openings openings;
  private final Cargo cargoToSend;
  private final Cargo cargoToCome;

  private @Nullable ChunkTraffic traffic;
  private boolean waitsForRows;
  private long openedAt;
  private int sourcesSettled;
  private boolean chunksStarted;
  private long toCome;
  private long received;
  private long receivedBefore;
  private long receivedFirst;
  private long receivedFirstAt;

  StepTransfers(
      HostPeers peers,
      StepWindow window,
      StepContext step,
      Recorder recorder,
      Channel channel,
      int firstTag,
      Arena arena) {
    this.peers = peers;
    this.step = step;
    this.recorder = recorder;
    this.news = window.news();
    this.channel = channel;
    this.firstTag = firstTag;
    this.transfers = new Transfers(peers.rank());
    int headerTag = firstTag + tags(peers.hosts().ranks()) - 1;
    this.openings = new Openings(peers, window, step, channel, headerTag, arena);
    this.cargoToSend = new Cargo(peers.hosts());
    this.cargoToCome = new Cargo(peers.hosts());
  }

  /**
   * How many tags a workspace needs: one for each route in each buffer for steps, so that rows of
   * one step are never received as those of the next, and one for headers, which say their step.
   */
  static int tags(int ranks) {
    return StepWindow.STEPS * chunkTags(ranks) + 1;
  }

  private static int chunkTags(int ranks) {
    return ranks * Schedule.MAX_PARTS;
  }

  /**
   * Turns to a new step. The lane sees to it that the old one is finished.
   *
   * @param rowsFollow whether this rank knows what travels in the step, and will say so at once
   */
  void open(boolean rowsFollow) {
    openings.open();
    waitsForRows = rowsFollow;
    openedAt = System.nanoTime();
    sourcesSettled = 0;
    chunksStarted = false;
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
   * @param laid whether {@link #lay} was called
   * @param left of how many steps the headers have left
   * @param arrived of how many steps all headers have arrived
   */
  int pollHeaders(boolean laid, long left, long arrived) {
    int done = openings.startReceives() ? 1 : 0;
    if (laid && !chunksStarted) {
      chunksStarted = true;
      startStep();
    }
    if (!openings.isSent() && mayLeave(left)) {
      sendOpenings();
      done++;
    }
    return done + openings.finish(StepOrder.mayPublish(step.number(), arrived));
  }

  private boolean mayLeave(long left) {
    boolean isLate = System.nanoTime() - openedAt > LONGEST_WAIT;
    return StepOrder.mayLeave(step.number(), left, waitsForRows, isCargoComplete(), isLate);
  }

  private boolean isCargoComplete() {
    return chunksStarted && cargoToSend.isComplete(sends, step.layout(), traffic());
  }

  private void sendOpenings() {
    boolean takesCargo = isCargoComplete();
    if (!takesCargo) {
      cargoToSend.unload();
      waitsForRows = false;
    }
    int[] targets = openings.targets();
    for (int i = 0; i < targets.length; i++) {
      long bytes =
          takesCargo
              ? cargoToSend.pack(sends, step.layout(), traffic(), targets[i], openings.toSend(i))
              : 0;
      openings.send(i, bytes);
    }
    for (int i = 0; takesCargo && i < sends.count(); i++) {
      if (cargoToSend.has(i)) {
        sends.complete(i);
      }
    }
  }

  /** Moves chunks on, of a step whose headers were polled after it was laid. */
  int pollChunks() {
    return settleSources()
        + finishReceives()
        + sends.finish(channel)
        + traffic().releaseSlots(sends)
        + startReceives()
        + startSends();
  }

  private void startStep() {
    traffic().start(transfers);
    Layout layout = step.layout();
    sends.reset(transfers.sends(), layout);
    receives.reset(transfers.receives(), layout);
    toCome = 0;
    for (int i = 0; i < receives.count(); i++) {
      toCome += layout.bytes(receives.route(i), 0, layout.chunks(receives.route(i)));
    }
    received = 0;
    receivedBefore = 0;
    receivedFirst = 0;
    cargoToSend.find(sends, layout, traffic(), openings.targets(), peers.rank());
    cargoToCome.find(receives, layout, traffic(), openings.sources(), Cargo.OF_PEERS);
    if (!waitsForRows) {
      cargoToSend.unload();
    }
  }

  /** Finds out what has come with headers, and what comes by itself. */
  private int settleSources() {
    int done = 0;
    int[] sources = openings.sources();
    for (int i = 0; sourcesSettled < sources.length && i < sources.length; i++) {
      if (openings.hasNewCargo(i)) {
        settle(i, sources[i]);
        openings.settle(i);
        sourcesSettled++;
        done++;
      }
    }
    return done;
  }

  private void settle(int index, int source) {
    long bytes = openings.cargo(index);
    if (bytes == 0) {
      cargoToCome.unload(source);
      return;
    }
    Layout layout = step.layout();
    cargoToCome.unpack(receives, layout, traffic(), source, openings.received(index), bytes);
    for (int i = cargoToCome.first(source); i != Cargo.NONE; i = cargoToCome.next(i)) {
      int route = receives.route(i);
      receives.complete(i);
      toCome -= layout.bytes(route, 0, layout.chunks(route));
      recordArrival(route, 0, layout.chunks(route));
      traffic().arrived(route, layout.chunks(route));
    }
    news.tell(peers.commReader());
    peers.ringHost();
  }

  private int finishReceives() {
    int done = 0;
    for (int i = 0; i < receives.count(); i++) {
      int finished = receives.finish(channel, i);
      if (finished > 0) {
        // First, because a step may be over as soon as its last rows are published.
        recordArrival(receives.route(i), receives.finished(i) - finished, receives.finished(i));
        long first = receives.finished(i) - finished;
        long bytes = step.layout().bytes(receives.route(i), first, receives.finished(i));
        received += bytes;
        toCome -= bytes;
        traffic().arrived(receives.route(i), receives.finished(i));
        done += finished;
      }
    }
    if (done > 0) {
      news.tell(peers.commReader());
      peers.ringHost();
      learnPace();
    }
    return done;
  }

  /** From the first arrival on: when that was says more about the other rank than the network. */
  private void learnPace() {
    if (receivedFirst == 0) {
      receivedFirst = received;
      receivedFirstAt = System.nanoTime();
    } else if (receives.isIdle() && receives.isAllStarted()) {
      traffic().learn(received - receivedFirst, System.nanoTime() - receivedFirstAt);
    }
  }

  private void recordArrival(int route, long fromChunk, long toChunk) {
    Recorder.Mark mark = recorder.begin(Span.Kind.ARRIVAL);
    if (mark != null) {
      long first = step.layout().chunkBegin(route, fromChunk);
      long rows = step.layout().chunkEnd(route, toChunk - 1) - first;
      recorder.end(mark, step.number(), Span.COMM, first, rows);
    }
  }

  private int startReceives() {
    int done = 0;
    for (int i = 0; !receives.isAllStarted() && i < receives.count(); i++) {
      boolean comes = receives.isLeft(i) && !cargoToCome.has(i);
      receives.available(i, comes ? traffic().receivable(receives.route(i)) : 0);
    }
    for (int i = receives.next(0); i >= 0; i = receives.next(i)) {
      int route = receives.route(i);
      Block target = traffic().received(block, route, receives.started(i));
      receives.start(i, channel.receive(receives.peer(i), tag(route), target));
      done++;
    }
    return done;
  }

  /** The last tag of a workspace is that of the headers. */
  private int tag(int route) {
    int chunkTags = chunkTags(peers.hosts().ranks());
    int tag = Objects.checkIndex(traffic().tag(route), chunkTags);
    return firstTag + step.buffer() * chunkTags + tag;
  }

  private int startSends() {
    int done = 0;
    for (int i = 0; !sends.isAllStarted() && i < sends.count(); i++) {
      boolean leaves = sends.isLeft(i) && !cargoToSend.has(i);
      sends.available(i, leaves ? traffic().sendable(sends.route(i)) : 0);
    }
    for (int i = sends.next(0); i >= 0; i = sends.next(i)) {
      int route = sends.route(i);
      long chunk = sends.started(i);
      Block source = traffic().toSend(block, route, chunk);
      boolean synchronous = traffic().isSynchronous(route, chunk);
      sends.start(i, channel.send(sends.peer(i), tag(route), source, synchronous));
      done++;
    }
    return done;
  }

  /** Bytes that are yet to come in. */
  long toCome() {
    return chunksStarted ? toCome : 0;
  }

  /** Bytes that have come in, but for those with headers, since this was asked last. */
  long takeReceived() {
    long bytes = received - receivedBefore;
    receivedBefore = received;
    return bytes;
  }

  /** How many transfers are under way. */
  int underWay() {
    return openings.left() + (chunksStarted ? sends.underWay() + receives.underWay() : 0);
  }

  /**
   * Whether all that is under way comes in one short message from each rank, which keeps until
   * somebody looks, and nothing leaves before compute threads have worked.
   */
  boolean canWait() {
    return chunksStarted
        && !openings.isLeaving()
        && sends.isIdle()
        && receives.isIdle()
        && cargoToSend.hasAllLeft(sends)
        && cargoToCome.hasAllLeft(receives);
  }

  /** Whether this rank's header is on its way to all hosts. */
  boolean haveHeadersLeft() {
    return openings.isSent();
  }

  /** Whether this rank's header has been sent, and those of others have arrived. */
  boolean hasAllHeaders() {
    return openings.isDone();
  }

  /** Whether every chunk that this rank sends or receives in the step is under way or done. */
  boolean isAllStarted() {
    return chunksStarted && sends.isAllStarted() && receives.isAllStarted();
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
    openings.describe(text);
    if (chunksStarted) {
      sends.describe(step.layout(), "were not received by", text);
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
    clean &= openings.cancel();
    return clean;
  }
}
