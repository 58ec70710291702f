// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.pipeline.comm.CommLane;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.PlannedStep;
import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.pipeline.compute.ComputeLane;
import io.github.gemmflow.pipeline.compute.ComputeThreads;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.gather.GatherPipeline;
import io.github.gemmflow.pipeline.gather.GatherWindow;
import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.pipeline.sum.SumLane;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.trace.Timeline;
import io.github.gemmflow.trace.jfr.StepEvent;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Parking;
import io.github.gemmflow.window.Waiter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lanes of one rank in one workspace, and the one step that may be open in it at a time: {@link
 * #begin}, {@link #run}, {@link #end}. Any thread may call these, but not two at once: that throws
 * {@link IllegalStateException}.
 */
public final class Pipeline {
  private static final long BREAK_OFF_LOOK_NANOS = 1_000_000;

  private final HostPeers peers;
  private final @Nullable CommLink link;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final GatherPipeline gathers;
  private final List<ComputeLane> lanes;
  private final StepKinds kinds;
  private final StepRoomWait room;
  private final Waiter waiter;
  private final StepContext[] buffers = new StepContext[StepWindow.STEPS];
  private final StepState state = new StepState();
  private final ShutdownGate gate;
  private final StepOpening opening;
  private long rowsSeen;

  /**
   * The lanes of a rank.
   *
   * @param memory a window of {@link WindowSize#bytes} bytes
   * @param firstTag the lowest of the tags that are this workspace's
   */
  public Pipeline(
      HostPeers peers,
      Ending ending,
      MemorySegment memory,
      Capacity capacity,
      ComputeThreads computeThreads,
      CommThread commThread,
      Channel channel,
      int firstTag) {
    Hosts hosts = peers.hosts();
    WindowCursor cursor = new WindowCursor();
    StepWindow window = new StepWindow(memory, cursor, hosts, peers.host());
    this.peers = peers;
    this.recorder = new Recorder(peers.rank());
    this.headers = new HeaderCheck(peers, window.headers());
    this.diagnosis = new Diagnosis(peers, window, this::describeLink);
    for (int buffer = 0; buffer < buffers.length; buffer++) {
      buffers[buffer] = new StepContext(buffer, hosts.ranks());
    }
    LaneContext context =
        new LaneContext(
            peers,
            window.heartbeats(),
            window.news(),
            headers,
            diagnosis,
            recorder,
            computeThreads);
    GatherWindow rows = new GatherWindow(memory, cursor, hosts, peers.host(), capacity);
    this.gathers = new GatherPipeline(context, rows, buffers);
    SumLane sumLane = new SumLane(context);
    this.lanes = List.of(gathers.computeLane(), sumLane);
    this.kinds = new StepKinds(peers, buffers, headers, gathers, sumLane);
    this.waiter = peers.newWaiter();
    this.room = new StepRoomWait(peers, window, headers, diagnosis, waiter);
    this.gate = new ShutdownGate(ending, state);
    CommLane lane =
        peers.hasOtherHosts()
            ? new CommLane(peers, window, buffers, recorder, channel, firstTag)
            : null;
    this.link = lane == null ? null : new CommLink(commThread, lane, peers.deadlineNanos());
    this.opening =
        new StepOpening(peers, window, buffers, headers, diagnosis, room, waiter, gate, lane);
  }

  private String describeLink() {
    return link == null ? "" : link.describe();
  }

  public StepKinds kinds() {
    return kinds;
  }

  /**
   * Begins a step whose rows this rank knows for all ranks. Waits for room.
   *
   * @param operator the number of the operator in its workspace
   */
  public <S extends PlannedStep> S begin(StepKind<S> kind, long operator, long[] rowsPerRank) {
    return begin(kind, operator, rowsPerRank, 0);
  }

  /**
   * Begins a step of which this rank knows only its own rows. Waits for room, and for all other
   * ranks to begin it too.
   */
  public <S extends PlannedStep> S begin(StepKind<S> kind, long operator, long myRows) {
    return begin(kind, operator, null, myRows);
  }

  private <S extends PlannedStep> S begin(
      StepKind<S> kind, long operator, long @Nullable [] rowsPerRank, long myRows) {
    gate.enter();
    boolean begun = false;
    long before = opening.begun();
    try {
      S step =
          rowsPerRank == null
              ? opening.begin(kind, operator, myRows)
              : opening.begin(kind, operator, rowsPerRank);
      begun = true;
      return step;
    } catch (IllegalArgumentException e) {
      // The step has not begun, or has ended for all ranks.
      throw e;
    } catch (RuntimeException | Error e) {
      if (e instanceof GemmflowException || opening.begun() > before) {
        peers.breakUp(reason(e));
      }
      throw e;
    } finally {
      state.setBegun(begun);
    }
  }

  private String reason(Throwable e) {
    String text = e instanceof Error ? e.toString() : e.getMessage();
    return "rank %d: %s".formatted(peers.rank(), text);
  }

  /**
   * Lets this rank only follow others from now on. Every step that it has begun as the first is
   * known to its neighbours when this returns.
   */
  public void finishLeading() {
    gate.shutForLeaders();
  }

  /** Writes down from now on what the lanes do; null for an end to that. */
  public void record(@Nullable Timeline timeline) {
    recorder.record(timeline);
  }

  /**
   * Runs the open step.
   *
   * @param operator whose step it is; its text is for people
   * @param body does the work
   */
  public void run(Object operator, Runnable body) {
    state.run();
    try {
      record(operator, body);
      rowsSeen += opening.step().layout().totalRows();
    } catch (RuntimeException | Error e) {
      // Whatever it was: the others must not take what is not complete for this rank's part.
      peers.breakUp(reason(e));
      throw e;
    } finally {
      state.setDone();
    }
  }

  private void record(Object operator, Runnable body) {
    StepContext step = opening.step();
    StepEvent event = recorder.beginStep();
    try {
      headers.verifyAll(step);
      body.run();
      // A neighbour with other counts may have written where others' rows lie; its header came
      // first.
      headers.verifyAll(step);
    } finally {
      recorder.endStep(event, step, operator);
    }
  }

  /**
   * Ends the step: its buffer may be used again. A step that never ran takes the group with it.
   *
   * @param why why it never ran, if that is known
   */
  public void end(String why) {
    if (state.giveUp()) {
      peers.breakUp(
          "rank %d ended step %d without running it%s"
              .formatted(peers.rank(), opening.step().number(), why));
    }
    if (state.tryEnd()) {
      opening.pass();
      state.setEnded();
    } else {
      state.checkNotRunning();
    }
  }

  /**
   * Throws on a thread that works on the open step, in a consumer or a kernel: it cannot wait for
   * the end of the step.
   */
  public void checkNotWorking() {
    if (isWorking()) {
      throw waitsForItself();
    }
  }

  private boolean isWorking() {
    return lanes.stream().anyMatch(ComputeLane::isWorking);
  }

  private IllegalStateException waitsForItself() {
    return new IllegalStateException(
        "this thread works on step %d of rank %d, and would wait for itself: return from the consumer first, or wait in another thread"
            .formatted(opening.step().number(), peers.rank()));
  }

  /** What {@link #checkNotWorking} checks, of the step that is open now and no later one. */
  public Runnable waitCheck() {
    long number = opening.step().number();
    return () -> {
      if (isWorking() && opening.step().number() == number) {
        throw waitsForItself();
      }
    };
  }

  /**
   * Lets no step begin any more; breaks the group if one is open, and waits until it is over: for a
   * world that closes whatever its other threads still do.
   *
   * @return whether it is over; its thread may be in a product, or a consumer, that does not end
   */
  public boolean breakOff() {
    long begin = System.nanoTime();
    Parking.until(
        () -> isBrokenOff() || System.nanoTime() - begin > peers.productDeadlineNanos(),
        () -> LockSupport.parkNanos(BREAK_OFF_LOOK_NANOS));
    return isBrokenOff();
  }

  private boolean isBrokenOff() {
    while (!state.shut() && isOpen()) {
      peers.breakUp(
          "rank %d closed the world while step %d was open"
              .formatted(peers.rank(), opening.begun() - 1));
      // A step that has not run yet is taken from the thread that would run it.
      if (!state.giveUp() && !state.isDone()) {
        return false;
      }
      end("");
    }
    return true;
  }

  public boolean isOpen() {
    return state.isOpen();
  }

  /**
   * Lets no step begin any more, unless one is open or another rank, as far as this host knows, has
   * begun the next one.
   *
   * @return whether that is so now
   */
  public boolean shut() {
    return gate.shut(opening::haveOthersBegun);
  }

  /** What was done so far, on this rank. */
  public StepCounts counts() {
    long sleeps = waiter.sleeps();
    return StepCounts.of(opening.begun(), rowsSeen, lanes, sleeps, gathers.ownBytes());
  }

  /**
   * Compares the headers of the last steps that are there now; nobody will look at them later.
   *
   * @throws io.github.gemmflow.failure.DisagreementException if a rank ran something else
   */
  public void verifyLast() {
    try {
      headers.verifyLaid(buffers);
    } catch (GemmflowException e) {
      peers.breakUp(reason(e));
      throw e;
    }
  }

  /**
   * Ends the lanes when all that this rank has to send was sent, or the group is broken.
   *
   * @param unmapLate unmaps the window if that may be done later
   * @return whether the window may be unmapped now; if not, the engine may still write to it
   */
  public boolean close(Runnable unmapLate) {
    gate.close();
    boolean clean =
        closeLink(
            () -> {
              gathers.free();
              unmapLate.run();
            });
    if (clean) {
      gathers.free();
    }
    return clean;
  }

  private boolean closeLink(Runnable freeLate) {
    if (link == null) {
      return true;
    }
    if (!room.awaitSent(opening.begun() - 1)) {
      peers.breakUp(
          "rank %d gave up closing a workspace after %s: %s"
              .formatted(peers.rank(), diagnosis.patience(), link.describe()));
    }
    try {
      return link.close(freeLate);
    } catch (GemmflowException e) {
      peers.breakUp(reason(e));
      return false;
    }
  }
}
