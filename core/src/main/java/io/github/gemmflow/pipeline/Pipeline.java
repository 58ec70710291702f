// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.trace.Timeline;
import io.github.gemmflow.trace.jfr.StepEvent;
import io.github.gemmflow.window.Waiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of one rank in one workspace, and the one step that may be open in it at a time: {@link
 * #begin}, {@link #run}, {@link #end}. Any thread may call these, but not two at once: that throws
 * {@link IllegalStateException}.
 */
public final class Pipeline {
  private enum State {
    IDLE,
    BEGINNING,
    OPEN,
    RUNNING,
    DONE,
    ENDING,
    SHUT,
    CLOSED
  }

  private static final long BREAK_OFF_LOOK_NANOS = 1_000_000;

  private final Members members;
  private final Ending ending;
  private final Space space;
  private final CommThread commThread;
  private final @Nullable CommLane commLane;
  private final Arrivals arrivals;
  private final Home home;
  private final Places places;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final GatherLane gatherLane;
  private final SumLane sumLane;
  private final Room room;
  private final Waiter waiter;
  private final OpenStep[] rooms = new OpenStep[Space.STEPS];

  /** Held while a step begins or is refused: others may not see half of that. */
  private final Object gate = new Object();

  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private OpenStep step;
  private long nextStep;
  private long rowsSeen;

  /**
   * The lanes of a rank.
   *
   * @param firstTag the lowest of the {@link #tags} tags that this workspace may use
   */
  public Pipeline(
      Members members,
      Ending ending,
      Space space,
      Crew crew,
      CommThread commThread,
      Channel channel,
      int firstTag) {
    this.members = members;
    this.ending = ending;
    this.recorder = new Recorder(members.rank());
    this.space = space;
    this.commThread = commThread;
    this.arrivals = new Arrivals(members, space);
    this.diagnosis = new Diagnosis(members, space, arrivals, this::describeComm);
    this.home = new Home(members.rank());
    this.places = new Places(members.rank(), space, home);
    Pace pace = new Pace();
    this.gatherLane =
        new GatherLane(members, space, places, arrivals, pace, diagnosis, recorder, crew);
    this.sumLane = new SumLane(members, space.pulses(), arrivals, diagnosis, recorder, crew);
    this.waiter = members.newWaiter();
    this.room = new Room(members, space, arrivals, diagnosis, waiter);
    int ranks = members.domains().ranks();
    for (int room = 0; room < rooms.length; room++) {
      rooms[room] = new OpenStep(room, ranks, ranks * Schedule.MAX_PARTS);
    }
    this.step = rooms[rooms.length - 1];
    if (members.hasOtherHosts()) {
      CommLane lane =
          new CommLane(members, space, places, arrivals, pace, recorder, channel, firstTag);
      this.commLane = lane;
      onCommThread(
          () -> {
            commThread.add(lane);
            return true;
          });
    } else {
      this.commLane = null;
    }
  }

  /** How many tags a workspace of a group of so many ranks needs. */
  public static int tags(int ranks) {
    return CommLane.tags(ranks);
  }

  /**
   * Begins a step whose rows this rank knows for all ranks. Waits for room.
   *
   * @param operator the number of the operator in its workspace
   */
  public void begin(Layouts layouts, long operator, long[] rowsPerRank) {
    beginning(
        () -> {
          Layout layout = layouts.layout(space.steps().slot(nextStep));
          awaitRoom();
          layout.lay(rowsPerRank);
          reserve(layout, layout.rows(members.rank()));
          leadOrFollow(operator, layout.rows(members.rank()), layout.countsHash());
          lay(layouts);
        });
  }

  /**
   * Begins a step of which this rank knows only its own rows. Waits for room, and for all other
   * ranks to begin it too.
   */
  public void begin(Layouts layouts, long operator, long myRows) {
    beginning(
        () -> {
          Layout layout = layouts.layout(space.steps().slot(nextStep));
          awaitRoom();
          reserve(layout, myRows);
          leadOrFollow(operator, myRows, Headers.NOT_KNOWN);
          long[] rowsPerRank = awaitRows();
          try {
            layout.lay(rowsPerRank);
          } catch (IllegalArgumentException e) {
            // All ranks see the same counts and come here: the step ends without rows for all.
            layout.lay(new long[rowsPerRank.length]);
            for (int rank = 0; rank < rowsPerRank.length; rank++) {
              step.setVerified(rank);
            }
            lay(layouts);
            pass();
            throw e;
          }
          lay(layouts);
        });
  }

  private void beginning(Runnable body) {
    synchronized (gate) {
      if (!state.compareAndSet(State.IDLE, State.BEGINNING)) {
        throw new IllegalStateException(
            isOpen()
                ? "a step of this workspace is still open: end it before the next one begins"
                : ending.reason("the workspace is closed"));
      }
    }
    boolean begun = false;
    long before = nextStep;
    try {
      members.checkWhole();
      body.run();
      begun = true;
    } catch (IllegalArgumentException e) {
      // The step has not begun, or has ended for all ranks.
      throw e;
    } catch (RuntimeException | Error e) {
      if (e instanceof GemmflowException || nextStep > before) {
        members.breakUp(reason(e));
      }
      throw e;
    } finally {
      state.set(begun ? State.OPEN : State.IDLE);
    }
  }

  private String reason(Throwable e) {
    String text = e instanceof Error ? e.toString() : e.getMessage();
    return "rank %d: %s".formatted(members.rank(), text);
  }

  private void awaitRoom() {
    OpenStep old = rooms[space.steps().slot(nextStep)];
    room.await(nextStep, old);
    if (nextStep >= rooms.length) {
      // Those that this rank had no need to look at; by now all of them are there.
      arrivals.verifyAll(old);
    }
  }

  /** Before the others hear of the step: memory may not be had. */
  private void reserve(Layout layout, long myRows) {
    if (layout instanceof StepPlan plan && plan.plan().isStreamed()) {
      home.reserve(space.steps().slot(nextStep), plan, myRows);
    }
  }

  private String describeComm() {
    CommLane lane = commLane;
    if (lane == null) {
      return "";
    }
    try {
      return onCommThread(lane::describe);
    } catch (GemmflowException e) {
      // Said in passing: what is to be said is what this rank waits for.
      return "what it waits for is not known, because " + e.getMessage();
    }
  }

  /** Never waits for longer than the deadline: an engine may be stuck in a call. */
  private <T> T onCommThread(Supplier<T> task) {
    return commThread.ask(task, Duration.ofNanos(members.deadlineNanos()));
  }

  /** A process that was told to end only takes part in steps that others have begun. */
  private void leadOrFollow(long operator, long myRows, long counts) {
    synchronized (gate) {
      if (!ending.isTold()) {
        open(operator, myRows, counts);
        return;
      }
    }
    waiter.await(
        () -> othersHaveBegun() || ending.isOver() || members.isBroken(), members.deadlineNanos());
    members.checkWhole();
    if (!othersHaveBegun()) {
      throw new IllegalStateException(ending.reason("nobody begins a step any more"));
    }
    open(operator, myRows, counts);
  }

  /**
   * Returns when every step that this rank begins as the first is known to its neighbours; from
   * then on, if the process was told to end, it only follows.
   */
  public void finishLeading() {
    synchronized (gate) {
      // Whoever comes later sees that the process was told to end.
    }
  }

  private void open(long operator, long myRows, long counts) {
    long number = nextStep++;
    step = rooms[space.steps().slot(number)];
    step.open(number, operator);
    Headers headers = space.headers();
    headers.write(number, members.rank(), myRows, operator, counts);
    headers.publish(members.rank(), number);
    if (commLane != null) {
      commLane.open(step);
    }
    members.ringHost();
  }

  private long[] awaitRows() {
    OpenStep current = step;
    if (!room.awaitHeaders(current)) {
      throw new DeadlineException(
          "rank %d gave up in step %d after %s: %s"
              .formatted(
                  members.rank(),
                  current.number(),
                  diagnosis.patience(),
                  diagnosis.missingHeaders(current)));
    }
    arrivals.verifyAll(current);
    long[] rows = new long[members.domains().ranks()];
    for (int rank = 0; rank < rows.length; rank++) {
      rows[rank] = arrivals.rows(current, rank);
    }
    return rows;
  }

  private void lay(Layouts layouts) {
    OpenStep before = rooms[(step.room() + rooms.length - 1) % rooms.length];
    step.lay(layouts, before);
    if (commLane != null) {
      commLane.lay(step);
    }
  }

  /** Writes down from now on what the lanes do; null for an end to that. */
  public void record(@Nullable Timeline timeline) {
    recorder.record(timeline);
  }

  /** The layout of the open step. */
  public Layout layout() {
    return step.layout();
  }

  /** Points a block at the place where this rank writes its rows of the open step. */
  public Block input(Block block) {
    return places.input(block, step);
  }

  /** Points a block at all rows of A in the open step, which is gathered. */
  public Block gathered(Block block) {
    return space.rows(block, step, 0, step.plan().totalRows());
  }

  /**
   * Publishes this rank's rows and works on all rows of the step; returns when that is done.
   *
   * @param operator whose step it is; its text is for people
   */
  public void run(Object operator, Work work) {
    running(operator, () -> gatherLane.run(step, work));
  }

  /**
   * Computes partial sums and adds them up; returns when this rank's sums are complete.
   *
   * @param operator whose step it is; its text is for people
   */
  public void run(Object operator, SumWork work) {
    running(operator, () -> sumLane.run(step, work));
  }

  private void running(Object operator, Runnable body) {
    if (!state.compareAndSet(State.OPEN, State.RUNNING)) {
      throw new IllegalStateException(
          state.get() == State.RUNNING
              ? "the step is running in another thread"
              : "a step runs once, after it began and before it ends");
    }
    try {
      record(operator, body);
      rowsSeen += step.layout().totalRows();
    } catch (RuntimeException | Error e) {
      // Whatever it was: the others must not take what is not complete for this rank's part.
      members.breakUp(reason(e));
      throw e;
    } finally {
      state.set(State.DONE);
    }
  }

  private void record(Object operator, Runnable body) {
    StepEvent event = recorder.beginStep();
    try {
      arrivals.verifyAll(step);
      body.run();
      // A neighbour with other counts may have written where others' rows lie; its header came
      // first.
      arrivals.verifyAll(step);
    } finally {
      recorder.endStep(event, step, operator);
    }
  }

  /**
   * Ends the step: its room may be used again. A step that never ran takes the group with it.
   *
   * @param why why it never ran, if that is known
   */
  public void end(String why) {
    checkNotRunning();
    if (state.compareAndSet(State.OPEN, State.DONE)) {
      members.breakUp(
          "rank %d ended step %d without running it%s"
              .formatted(members.rank(), step.number(), why));
    }
    if (state.compareAndSet(State.DONE, State.ENDING)) {
      pass();
      state.set(State.IDLE);
    }
  }

  /** Throws if another thread runs the step. */
  public void checkNotRunning() {
    if (state.get() == State.RUNNING) {
      throw new IllegalStateException("the step is running in another thread");
    }
  }

  /**
   * Lets no step begin any more; breaks the group if one is open, and waits until it is over: for a
   * world that closes whatever its other threads still do.
   */
  public void breakOff() {
    while (!state.compareAndSet(State.IDLE, State.SHUT) && isOpen()) {
      members.breakUp(
          "rank %d closed the world while step %d was open"
              .formatted(members.rank(), nextStep - 1));
      // A step that has not run yet is taken from the thread that would run it.
      if (state.compareAndSet(State.OPEN, State.DONE) || state.get() == State.DONE) {
        end("");
      } else {
        LockSupport.parkNanos(BREAK_OFF_LOOK_NANOS);
      }
    }
  }

  private void pass() {
    space.steps().pass(members.computeReader(), step.number(), step.number() + 1);
    members.ringHost();
  }

  /** Whether a step is open. */
  public boolean isOpen() {
    State now = state.get();
    return now != State.IDLE && now != State.SHUT && now != State.CLOSED;
  }

  /**
   * Lets no step begin any more, unless one is open or another rank, as far as this host knows, has
   * begun the next one.
   *
   * @return whether that is so now
   */
  public boolean shut() {
    synchronized (gate) {
      if (state.get() == State.IDLE && !othersHaveBegun()) {
        state.set(State.SHUT);
      }
      return state.get() == State.SHUT || state.get() == State.CLOSED;
    }
  }

  /** Whether another rank, as far as this host knows, has begun the next step. */
  private boolean othersHaveBegun() {
    return IntStream.range(0, members.domains().ranks())
        .anyMatch(rank -> space.headers().isThere(rank, nextStep));
  }

  public long steps() {
    return nextStep;
  }

  public long rowsSeen() {
    return rowsSeen;
  }

  public long runs() {
    return gatherLane.runCount();
  }

  public long ownBytes() {
    return home.bytes();
  }

  public long plainSteps() {
    return gatherLane.plainSteps();
  }

  public long sleeps() {
    return gatherLane.sleeps() + sumLane.sleeps() + waiter.sleeps();
  }

  /**
   * Compares the headers of the last steps that are there now; nobody will look at them later.
   *
   * @throws io.github.gemmflow.failure.DisagreementException if a rank ran something else
   */
  public void verifyLast() {
    try {
      for (OpenStep last : rooms) {
        if (last.isLaid() && !members.isBroken()) {
          arrivals.verifyAll(last);
        }
      }
    } catch (GemmflowException e) {
      members.breakUp(reason(e));
      throw e;
    }
  }

  /**
   * Ends the lanes when all that this rank has to send was sent, or the group is broken.
   *
   * @return whether the window may be unmapped; if not, the engine may still write to it
   */
  public boolean close() {
    synchronized (gate) {
      if (isOpen()) {
        throw new IllegalStateException("a step of this workspace is still open: end it first");
      }
      state.set(State.CLOSED);
    }
    boolean clean = closeCommLane();
    if (clean) {
      home.free();
    }
    return clean;
  }

  private boolean closeCommLane() {
    CommLane lane = commLane;
    if (lane == null) {
      return true;
    }
    if (!room.awaitSent(nextStep - 1)) {
      members.breakUp(
          "rank %d gave up closing a workspace after %s: %s"
              .formatted(members.rank(), diagnosis.patience(), describeComm()));
    }
    try {
      return onCommThread(
          () -> {
            commThread.remove(lane);
            return lane.close();
          });
    } catch (GemmflowException e) {
      members.breakUp(reason(e));
      return false;
    }
  }
}
