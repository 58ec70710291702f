// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.trace.Span;

/**
 * Works on the rows of a step as they arrive. Each thread feeds a chunk of this rank's own rows, if
 * others wait for it, or takes the next task of the current run; when there is none left, it
 * chooses the next run.
 */
final class GatherLane extends Lane {
  private static final int NO_TASK = -1;
  private static final int FEED = -2;
  private static final int NO_BAND = -1;

  private final Members members;
  private final Space space;
  private final Places places;
  private final Arrivals arrivals;
  private final Pace pace;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final Feeder feeder;
  private final NextRun runs;
  private final Piece[] pieces;

  // The step that is running; guarded by this.
  private Work work = Work.NONE;
  private int tasks;
  private int nextTask;
  private boolean patient;
  private long patientSince;
  private long runCount;
  private long plainSteps;

  GatherLane(
      Members members,
      Space space,
      Places places,
      Arrivals arrivals,
      Pace pace,
      Diagnosis diagnosis,
      Recorder recorder,
      Crew crew) {
    super(members, space.pulses(), arrivals, diagnosis, recorder, crew);
    this.members = members;
    this.space = space;
    this.places = places;
    this.feeder = new Feeder(members, space, places, arrivals);
    this.arrivals = arrivals;
    this.pace = pace;
    this.diagnosis = diagnosis;
    this.recorder = recorder;
    this.runs = new NextRun(members.rank(), members.domains().ranks() * Schedule.MAX_PARTS);
    this.pieces = new Piece[crew.threads()];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = new Piece();
    }
  }

  /** What a thread works on. */
  private static final class Piece {
    private final Block block = new Block();
    private long firstRow;
    private int band = NO_BAND;
    private int part;
  }

  /** Publishes this rank's rows and does all the work of a step; returns when it is complete. */
  void run(OpenStep step, Work newWork) {
    synchronized (this) {
      work = newWork;
    }
    long runsBefore = runCount();
    runStep(step);
    countPlain(runsBefore);
  }

  @Override
  void start(OpenStep current) {
    tasks = 0;
    nextTask = 0;
    runs.reset(current.plan());
    feeder.start(current);
    passHome(current);
    patient = false;
  }

  private synchronized void countPlain(long runsBefore) {
    if (runCount == runsBefore + 1) {
      plainSteps++;
    }
  }

  /** How many runs the rows were worked on in, over all steps. */
  synchronized long runCount() {
    return runCount;
  }

  /** In how many steps all rows were worked on in one run. */
  synchronized long plainSteps() {
    return plainSteps;
  }

  /** Its own rows this rank reads at home: nobody needs to wait for it to read them in slots. */
  private void passHome(OpenStep current) {
    StepPlan plan = current.plan();
    for (int band = 0; band < plan.bands(); band++) {
      if (plan.isReadAtHome(band, members.rank())) {
        pass(current, band, plan.bandChunks(band));
      }
    }
  }

  /** Lets go of the slots of a band whose chunks nobody here works on or will work on. */
  private void release(OpenStep current, int band) {
    StepPlan plan = current.plan();
    if (band == NO_BAND || plan.isReadAtHome(band, members.rank())) {
      return;
    }
    long taken = runs.taken(band);
    long chunks = taken == plan.bandEnd(band) ? plan.bandChunks(band) : plan.bandChunk(band, taken);
    if (band == runs.band() && nextTask < tasks) {
      chunks = plan.bandChunk(band, runs.begin());
    }
    for (Piece piece : pieces) {
      if (piece.band == band) {
        chunks = Math.min(chunks, plan.bandChunk(band, piece.firstRow));
      }
    }
    pass(current, band, chunks);
  }

  private void pass(OpenStep current, int band, long chunks) {
    long use = current.use(band);
    if (space.slots(band).pass(members.computeReader(), use, use + chunks)) {
      members.ringFillers();
    }
  }

  @Override
  long news(OpenStep current) {
    return arrivals.progress(current) + feeder.room(current);
  }

  /**
   * Takes the next run. One that could grow soon is left alone for as long as another run would
   * cost: what is waited for may come later than expected.
   */
  private boolean choose(OpenStep current) {
    NextRun.Soon soon = NextRun.Soon.NOTHING;
    if (patienceLeft() > 0) {
      boolean all = pace.nanos(arrivals.bytesToReceive(current)) <= work.runNanos();
      soon = all ? NextRun.Soon.ALL : NextRun.Soon.OF_THIS_HOST;
    }
    boolean chosen = runs.choose(current.plan(), work.worthwhileRows(), soon);
    if (chosen) {
      patient = false;
    } else if (runs.isPatient() && !patient) {
      patient = true;
      patientSince = System.nanoTime();
    }
    return chosen;
  }

  private long patienceLeft() {
    // Who waits although there is work must not be found to have waited too long.
    long patience = Math.min(work.runNanos(), members.deadlineNanos() / 4);
    return patient ? patience - (System.nanoTime() - patientSince) : patience;
  }

  @Override
  synchronized long lookAgainNanos(OpenStep current) {
    return runs.isPatient() ? Math.max(0, patienceLeft()) : Pulses.LOOK_NANOS;
  }

  @Override
  boolean isWaitingFor(OpenStep current, int reader) {
    return arrivals.areHeldUp(current)
        || (!members.isCommLane(reader)
            && arrivals.areAllMissingOnThisHost(current)
            && arrivals.isMissing(current, members.hostRank(reader)));
  }

  /**
   * Who knows what keeps streamed rows out goes before who only misses them, and both before who
   * waits for ranks that have not begun the step, because those wait in the step before.
   */
  @Override
  int courtesy(OpenStep current) {
    if (arrivals.headersThere(current) < members.domains().ranks()) {
      return 2;
    }
    return current.plan().plan().isStreamed() && !diagnosis.knowsWhoHoldsRoom(current) ? 1 : 0;
  }

  @Override
  String missing(OpenStep current) {
    return diagnosis.missingRows(current, feeder);
  }

  @Override
  boolean workOnce(OpenStep current, int thread) {
    Piece piece = pieces[thread];
    int task = take(current, thread, piece);
    if (task == FEED) {
      feeder.feed(current, piece.part);
      noteFed(piece);
    } else if (task != NO_TASK) {
      Recorder.Mark mark = recorder.begin(Span.Kind.WORK);
      long begin = System.nanoTime();
      work.perform(thread, task, piece.firstRow, piece.block);
      recorder.end(mark, current.number(), thread, piece.firstRow, piece.block.rows());
      noteRun(current, piece, begin);
    }
    return task != NO_TASK;
  }

  /** The next task, with the piece pointing at its run; ends the step after the last. */
  private synchronized int take(OpenStep current, int thread, Piece piece) {
    int task = takeTask(current, thread, piece);
    if (task != NO_TASK) {
      noteWorkBegins();
    }
    return task;
  }

  private int takeTask(OpenStep current, int thread, Piece piece) {
    if (nextTask < tasks && takeFeed(current, piece)) {
      return FEED;
    }
    while (nextTask == tasks && !isOver()) {
      look(current, thread);
      if (takeFeed(current, piece)) {
        return FEED;
      }
      arrivals.update(current, runs);
      if (choose(current)) {
        runCount++;
        tasks = work.tasks(runs.end() - runs.begin());
        nextTask = 0;
        if (tasks == 0) {
          release(current, streamedBand(current));
        }
      } else if (runs.allTaken(current.plan()) && feeder.isDone(current)) {
        finish();
      } else {
        return NO_TASK;
      }
    }
    if (isOver()) {
      return NO_TASK;
    }
    piece.firstRow = runs.begin();
    places.run(piece.block, current, runs.band(), piece.firstRow, runs.end());
    piece.band = streamedBand(current);
    return nextTask++;
  }

  /** Others wait for this rank's rows, so they go before its own work. */
  private boolean takeFeed(OpenStep current, Piece piece) {
    piece.part = feeder.take(current);
    return piece.part != Feeder.NONE;
  }

  private int streamedBand(OpenStep current) {
    return current.plan().plan().isStreamed() ? runs.band() : NO_BAND;
  }

  private synchronized void noteRun(OpenStep current, Piece piece, long begin) {
    noteWork();
    long rounds = Math.ceilDiv(tasks, threads());
    work.learn(piece.block.rows(), (System.nanoTime() - begin) * rounds);
    int released = piece.band;
    piece.band = NO_BAND;
    release(current, released);
  }

  private synchronized void noteFed(Piece piece) {
    noteWork();
    feeder.done(piece.part);
  }
}
