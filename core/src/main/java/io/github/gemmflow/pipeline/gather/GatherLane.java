// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.compute.ComputeLane;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.Heartbeats;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.Patience;
import io.github.gemmflow.trace.Span;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Compute lane of a gathering step: works on its rows as they arrive. Each thread feeds a chunk of
 * this rank's own rows, if others wait for it, or takes the next task of the current run; when
 * there is none left, it chooses the next run.
 */
final class GatherLane extends ComputeLane {
  private static final int NO_TASK = -1;
  private static final int FEED = -2;
  private static final int NO_BAND = -1;

  private final HostPeers peers;
  private final GatherWindow window;
  private final Arrivals arrivals;
  private final HeaderCheck headers;
  private final GatherDiagnosis diagnosis;
  private final Recorder recorder;
  private final SlotFeeder feeder;
  private final NextRun runs;
  private final Patience patience = new Patience();
  private final DoubleSupplier arrivalNanos;
  private final Scratch[] scratch;

  // The step that is running; guarded by this.
  private @Nullable GatherStep step;
  private RowWork work = RowWork.NONE;
  private int tasks;
  private int nextTask;

  GatherLane(LaneContext context, GatherWindow window, Arrivals arrivals, ArrivalRate pace) {
    super(context);
    this.peers = context.peers();
    this.window = window;
    this.feeder = new SlotFeeder(peers, window, arrivals);
    this.arrivals = arrivals;
    this.headers = context.headers();
    this.arrivalNanos = () -> pace.nanos(arrivals.bytesToReceive(step()));
    this.diagnosis = new GatherDiagnosis(peers, window, arrivals, headers, context.diagnosis());
    this.recorder = context.recorder();
    this.runs = new NextRun(peers.rank(), GatherWindow.routes(peers.hosts().ranks()));
    this.scratch = new Scratch[context.computeThreads().threads()];
    for (int i = 0; i < scratch.length; i++) {
      scratch[i] = new Scratch();
    }
  }

  /** Scratch of one thread: the run or chunk that it works on. */
  private static final class Scratch {
    private final Block block = new Block();
    private long firstRow;
    private boolean working;
    private int band = NO_BAND;
    private int part;
  }

  /** Publishes this rank's rows and does all the work of a step; returns when it is complete. */
  void run(GatherStep newStep, RowWork newWork) {
    synchronized (this) {
      step = newStep;
      work = newWork;
    }
    runStep(newStep.open());
  }

  private GatherStep step() {
    return Objects.requireNonNull(step);
  }

  @Override
  protected void start() {
    tasks = 0;
    nextTask = 0;
    runs.reset(step().layout());
    feeder.start(step());
    passOwnRows();
    patience.reset();
  }

  /**
   * This rank reads its own rows in memory of its own: nobody needs to wait for it to read them in
   * slots.
   */
  private void passOwnRows() {
    GatherLayout layout = step().layout();
    for (int band = 0; band < layout.bands(); band++) {
      if (layout.isReadFromOwnRows(band, peers.rank())) {
        pass(band, layout.bandChunks(band));
      }
    }
  }

  /** Lets go of the slots of a band whose chunks nobody here works on or will work on. */
  private void release(int band) {
    GatherLayout layout = step().layout();
    if (band == NO_BAND || layout.isReadFromOwnRows(band, peers.rank())) {
      return;
    }
    long taken = runs.taken(band);
    long chunks =
        taken == layout.bandEnd(band) ? layout.bandChunks(band) : layout.bandChunk(band, taken);
    if (band == runs.band() && nextTask < tasks) {
      chunks = layout.bandChunk(band, runs.begin());
    }
    for (Scratch other : scratch) {
      if (other.band == band) {
        chunks = Math.min(chunks, layout.bandChunk(band, other.firstRow));
      }
    }
    pass(band, chunks);
  }

  private void pass(int band, long chunks) {
    long use = step().use(band);
    long slots = step().layout().slotsDone(band, chunks);
    if (window.slots(band).pass(peers.computeReader(), use, use + slots)) {
      peers.ringFillers();
    }
  }

  @Override
  protected long news() {
    return arrivals.progress() + feeder.room(step());
  }

  private boolean choose() {
    long now = System.nanoTime();
    NextRun.Soon soon = patience.soon(now, mostPatience(), arrivalNanos);
    boolean chosen = runs.choose(step().layout(), work.worthwhileRows(), soon);
    patience.note(now, chosen, runs.isPatient());
    return chosen;
  }

  /** Who waits although there is work must not be found to have waited too long. */
  private long mostPatience() {
    return Math.min(work.runNanos(), peers.deadlineNanos() / 4);
  }

  @Override
  protected synchronized long lookAgainNanos() {
    return runs.isPatient()
        ? Math.max(0, patience.left(System.nanoTime(), mostPatience()))
        : Heartbeats.LOOK_NANOS;
  }

  @Override
  protected boolean isWaitingFor(int reader) {
    return arrivals.areHeldUp(step())
        || (!peers.isCommLane(reader)
            && arrivals.areAllMissingOnThisHost(step())
            && arrivals.isMissing(step(), peers.hostRank(reader)));
  }

  /**
   * Who knows what keeps streamed rows out goes before who only misses them, and both before who
   * waits for ranks that have not begun the step, because those wait in the step before.
   */
  @Override
  protected int giveUpDelay() {
    if (headers.headersThere(step().open()) < peers.hosts().ranks()) {
      return 2;
    }
    return step().storage().hasSlots() && !diagnosis.knowsWhoHoldsRoom(step()) ? 1 : 0;
  }

  @Override
  protected String missing() {
    return diagnosis.missingRows(step(), feeder);
  }

  @Override
  protected boolean workOnce(int thread) {
    Scratch mine = scratch[thread];
    int task = take(thread, mine);
    if (task == FEED) {
      feeder.feed(step(), mine.part);
      noteFed(mine);
    } else if (task != NO_TASK) {
      Recorder.Mark mark = recorder.begin(Span.Kind.WORK);
      long begin = System.nanoTime();
      work.perform(thread, task, mine.firstRow, mine.block);
      recorder.end(mark, step().open().number(), thread, mine.firstRow, mine.block.rows());
      noteRun(mine, begin);
    }
    return task != NO_TASK;
  }

  /** The next task, with the scratch pointing at its run; ends the step after the last. */
  private synchronized int take(int thread, Scratch mine) {
    int task = takeTask(thread, mine);
    if (task != NO_TASK) {
      noteWorkBegins();
    }
    return task;
  }

  private int takeTask(int thread, Scratch mine) {
    if (nextTask < tasks && takeFeed(mine)) {
      return FEED;
    }
    while (nextTask == tasks && !isOver()) {
      look(thread);
      if (takeFeed(mine)) {
        return FEED;
      }
      arrivals.update(step(), runs);
      if (choose()) {
        countRun();
        tasks = work.tasks(runs.end() - runs.begin());
        nextTask = 0;
        if (tasks == 0) {
          release(streamedBand());
          work.done(runs.begin(), runs.end());
        }
      } else if (runs.allTaken(step().layout()) && feeder.isDone(step())) {
        finish();
      } else {
        return NO_TASK;
      }
    }
    if (isOver()) {
      return NO_TASK;
    }
    mine.working = true;
    mine.firstRow = runs.begin();
    step().storage().run(mine.block, step(), runs.band(), mine.firstRow, runs.end());
    mine.band = streamedBand();
    return nextTask++;
  }

  /** Others wait for this rank's rows, so they go before its own work. */
  private boolean takeFeed(Scratch mine) {
    mine.part = feeder.take(step());
    return mine.part != SlotFeeder.NONE;
  }

  private int streamedBand() {
    return step().storage().hasSlots() ? runs.band() : NO_BAND;
  }

  private synchronized void noteRun(Scratch mine, long begin) {
    noteWork();
    long rounds = Math.ceilDiv(tasks, threads());
    work.learn(mine.block.rows(), (System.nanoTime() - begin) * rounds);
    int released = mine.band;
    mine.band = NO_BAND;
    mine.working = false;
    release(released);
    if (!isWorkedOn(mine.firstRow)) {
      work.done(mine.firstRow, mine.firstRow + mine.block.rows());
    }
  }

  /** Whether tasks of a run are left or being done. */
  private boolean isWorkedOn(long firstRow) {
    if (nextTask < tasks && runs.begin() == firstRow) {
      return true;
    }
    for (Scratch other : scratch) {
      if (other.working && other.firstRow == firstRow) {
        return true;
      }
    }
    return false;
  }

  private synchronized void noteFed(Scratch mine) {
    noteWork();
    feeder.done(mine.part);
  }
}
