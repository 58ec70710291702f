// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.StepOrder;
import io.github.gemmflow.trace.Span;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Traffic of chunks and headers of a workspace between this rank and ranks of other hosts. Its
 * methods run on the communication thread, or one that helps it, except {@link #open} and {@link
 * #lay}.
 */
public final class CommLane implements CommAgent {
  private static final long EXPLANATION_NANOS = 100_000_000;

  private final HostPeers peers;
  private final StepWindow window;
  private final Recorder recorder;
  private final Arena memory = Arena.ofShared();
  private final StepTransfers[] buffers = new StepTransfers[StepWindow.STEPS];
  private @Nullable EngineException suspect;
  private long suspectSince;
  private boolean stopped;
  private boolean clean = true;
  private volatile long opened;
  private volatile long laid;

  // Of how many steps, counted from the first: see StepOrder.
  private long headersLeft;
  private long headersArrived;
  private long chunksStarted;
  private long finished;

  /**
   * For a workspace.
   *
   * @param steps the steps in each buffer
   * @param firstTag the lowest of the tags that are this workspace's
   */
  public CommLane(
      HostPeers peers,
      StepWindow window,
      StepContext[] steps,
      Recorder recorder,
      Channel channel,
      int firstTag) {
    this.peers = peers;
    this.window = window;
    this.recorder = recorder;
    for (int buffer = 0; buffer < buffers.length; buffer++) {
      buffers[buffer] =
          new StepTransfers(peers, window, steps[buffer], recorder, channel, firstTag, memory);
    }
  }

  /**
   * A step has begun: headers may travel. Called by the thread that begins it.
   *
   * @param rowsFollow whether {@link #lay} follows at once
   */
  public void open(StepContext step, boolean rowsFollow) {
    buffers[step.buffer()].open(rowsFollow);
    opened = step.number() + 1;
    if (!rowsFollow) {
      peers.send();
    }
  }

  /** The rows of the step are known: chunks may travel. Called by the thread that begins it. */
  public void lay(StepContext step, ChunkTraffic traffic) {
    buffers[step.buffer()].lay(traffic);
    laid = step.number() + 1;
    peers.send();
  }

  @Override
  public int poll() {
    if (stopped) {
      return 0;
    }
    if (peers.isBroken()) {
      stop();
      return 1;
    }
    if (suspect != null) {
      awaitExplanation(suspect);
      return 1;
    }
    Recorder.Mark mark = recorder.begin(Span.Kind.TRANSFER);
    // In this order: a step is opened before it is laid.
    long allLaid = laid;
    long allOpened = opened;
    int done = pollHeaders(allOpened, allLaid) + pollChunks(allLaid);
    if (done > 0) {
      window.heartbeats().beat(peers.commReader());
      recorder.end(mark, finished, Span.COMM, 0, 0);
    }
    while (finished < laid && transfers(finished).isFinished()) {
      window.steps().pass(peers.commReader(), finished, finished + 1);
      finished++;
      peers.ringHost();
    }
    return done;
  }

  private StepTransfers transfers(long number) {
    return buffers[window.steps().slot(number)];
  }

  private int pollHeaders(long allOpened, long allLaid) {
    int done = 0;
    for (long number = finished; number < allOpened; number++) {
      StepTransfers transfers = transfers(number);
      done += transfers.pollHeaders(number < allLaid, headersLeft, headersArrived);
      if (number == headersLeft && transfers.haveHeadersLeft()) {
        headersLeft++;
      }
      if (number == headersArrived && transfers.hasAllHeaders()) {
        headersArrived++;
      }
    }
    return done;
  }

  private int pollChunks(long allLaid) {
    int done = 0;
    try {
      for (long number = finished;
          number < allLaid && StepOrder.mayStart(number, chunksStarted);
          number++) {
        done += transfers(number).pollChunks();
        if (number == chunksStarted && transfers(number).isAllStarted()) {
          chunksStarted++;
        }
      }
    } catch (EngineException e) {
      suspect = e;
      suspectSince = System.nanoTime();
    }
    return done;
  }

  /**
   * A chunk that does not fit may come from a rank that runs another operator. Its header says so,
   * and says it better; it is given a moment to arrive.
   */
  private void awaitExplanation(EngineException failure) {
    pollHeaders(opened, finished);
    if (System.nanoTime() - suspectSince > EXPLANATION_NANOS) {
      throw failure;
    }
  }

  @Override
  public int underWay() {
    int count = 0;
    for (long number = finished; !stopped && number < opened; number++) {
      // At least one: what is sent may still be on its way through the engine.
      count += Math.max(1, transfers(number).underWay());
    }
    return count;
  }

  @Override
  public long toCome() {
    long bytes = 0;
    for (long number = finished; !stopped && number < opened; number++) {
      bytes += transfers(number).toCome();
    }
    return bytes;
  }

  @Override
  public long takeReceived() {
    long bytes = 0;
    for (StepTransfers transfers : buffers) {
      bytes += transfers.takeReceived();
    }
    return bytes;
  }

  /** Other ranks of the host may wait for what comes to this one. */
  @Override
  public boolean canWait() {
    boolean canWait = peers.helps() && peers.hostRanks() == 1;
    for (long number = finished; canWait && number < opened; number++) {
      canWait = transfers(number).canWait();
    }
    return canWait;
  }

  @Override
  public void fail(EngineException failure) {
    stop();
  }

  /** What the oldest step that is not finished waits for, for a person. */
  public String describe() {
    return finished < opened ? transfers(finished).describe() : "";
  }

  private void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    // Unless all are cancelled, one of which may throw, the engine may still use the window.
    clean = false;
    boolean allCancelled = true;
    for (StepTransfers transfers : buffers) {
      allCancelled &= transfers.cancel();
    }
    clean = allCancelled;
  }

  /**
   * Gives up what is still under way, if the group is broken.
   *
   * @return whether the engine will certainly not touch the window any more
   */
  public boolean close() {
    stop();
    if (clean) {
      memory.close();
    }
    return clean;
  }
}
