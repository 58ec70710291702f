// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.plan.StepPlan;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.window.Waiter;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Works on the rows of a step as they arrive. Each thread feeds a chunk of this rank's own rows, if
 * others wait for it, or takes the next task of the current run; when there is none left, it
 * chooses the next run; when no row is ready, it sleeps.
 */
final class ComputeLane {
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
  private final Crew crew;
  private final NextRun runs;
  private final Worker[] workers;
  private final IntConsumer job;

  // The step that is running; guarded by this.
  private @Nullable OpenStep step;
  private Work work = Work.NONE;
  private int tasks;
  private int nextTask;
  private @Nullable RuntimeException failure;
  private volatile boolean over;
  private long progress;
  private long pulses;
  private long progressAt;
  private boolean patient;
  private long patientSince;
  private long runCount;
  private long plainSteps;

  ComputeLane(
      Members members,
      Space space,
      Places places,
      Arrivals arrivals,
      Pace pace,
      Diagnosis diagnosis,
      Recorder recorder,
      Crew crew) {
    this.members = members;
    this.space = space;
    this.places = places;
    this.feeder = new Feeder(members, space, places, arrivals);
    this.arrivals = arrivals;
    this.pace = pace;
    this.diagnosis = diagnosis;
    this.recorder = recorder;
    this.crew = crew;
    this.runs = new NextRun(members.rank(), members.domains().ranks() * Schedule.MAX_PARTS);
    this.workers = new Worker[crew.threads()];
    this.job = thread -> workers[thread].run();
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i);
    }
  }

  /** Publishes this rank's rows and does all the work of a step; returns when it is complete. */
  void run(OpenStep newStep, Work newWork) {
    synchronized (this) {
      step = newStep;
      work = newWork;
      tasks = 0;
      nextTask = 0;
      failure = null;
      over = false;
      runs.reset(newStep.plan());
      feeder.start(newStep);
      passHome(newStep);
      progress = news(newStep);
      pulses = space.pulses().sum();
      progressAt = System.nanoTime();
      patient = false;
    }
    long runsBefore = runCount();
    crew.run(job);
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    countPlain(runsBefore);
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

  /** How often a thread went to sleep. */
  long sleeps() {
    long sum = 0;
    for (Worker worker : workers) {
      sum += worker.waiter.sleeps();
    }
    return sum;
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
    for (Worker worker : workers) {
      if (worker.band == band) {
        chunks = Math.min(chunks, plan.bandChunk(band, worker.firstRow));
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

  /** A number that grows whenever there is something new for this lane. */
  private long news(OpenStep current) {
    return arrivals.progress(current) + feeder.room(current);
  }

  /** Whether something has happened, since this was asked last, that this lane may wait for. */
  private boolean hasProgressed(OpenStep current) {
    long newNews = news(current);
    long newPulses = space.pulses().sum();
    boolean progressed = newNews > progress || (newPulses > pulses && arrivals.areHeldUp(current));
    progress = newNews;
    pulses = newPulses;
    return progressed;
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

  /** After this long there may be something to do although nothing has come in. */
  private synchronized long lookAgainNanos(OpenStep current) {
    if (runs.isPatient()) {
      return Math.max(0, patienceLeft());
    }
    return current.plan().plan().isStreamed() ? Pulses.LOOK_NANOS : Long.MAX_VALUE;
  }

  private synchronized void fail(RuntimeException e) {
    if (failure == null) {
      failure = e;
    }
    over = true;
    members.ringSelf();
  }

  /** One thread of the lane. */
  private final class Worker {
    private final int thread;
    private final Waiter waiter = members.newWaiter();
    private final Block block = new Block();
    private final BooleanSupplier somethingNew = this::isSomethingNew;
    private long firstRow;
    private int band = NO_BAND;
    private int part;
    private long seen;

    Worker(int thread) {
      this.thread = thread;
    }

    void run() {
      try {
        OpenStep current = step;
        while (current != null && !over) {
          int task = take(current);
          if (task == FEED) {
            feeder.feed(current, part);
            noteFed();
          } else if (task != NO_TASK) {
            long begin = System.nanoTime();
            work.perform(thread, task, firstRow, block);
            recorder.end(Span.Kind.WORK, thread, begin, firstRow, block.rows());
            noteWork(current, begin);
          } else if (!over) {
            long begin = recorder.begin();
            awaitSomethingNew(current);
            recorder.end(Span.Kind.WAIT, thread, begin, 0, 0);
          }
        }
      } catch (RuntimeException e) {
        fail(e);
      } catch (Error e) {
        fail(new IllegalStateException("the work on a step failed: " + e, e));
      }
    }

    /** The next task, with {@link #block} pointing at its run; ends the step after the last. */
    private int take(OpenStep current) {
      synchronized (ComputeLane.this) {
        arrivals.checkWhole(current);
        if (nextTask < tasks && takeFeed(current)) {
          return FEED;
        }
        while (nextTask == tasks && !over) {
          // What comes in after this is news, also if it is seen below already.
          seen = news(current);
          if (takeFeed(current)) {
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
            over = true;
            members.ringSelf();
          } else {
            return NO_TASK;
          }
        }
        if (over) {
          return NO_TASK;
        }
        firstRow = runs.begin();
        places.run(block, current, runs.band(), firstRow, runs.end());
        band = streamedBand(current);
        return nextTask++;
      }
    }

    /** Others wait for this rank's rows, so they go before its own work. */
    private boolean takeFeed(OpenStep current) {
      part = feeder.take(current);
      return part != Feeder.NONE;
    }

    private int streamedBand(OpenStep current) {
      return current.plan().plan().isStreamed() ? runs.band() : NO_BAND;
    }

    private void awaitSomethingNew(OpenStep current) {
      long left = noteProgress(current);
      if (left > 0) {
        waiter.await(somethingNew, Math.min(left, lookAgainNanos(current)));
        return;
      }
      waiter.await(somethingNew, courtesy(current) * Diagnosis.AFTER_YOU_NANOS);
      if (!isSomethingNew() && noteProgress(current) <= 0) {
        giveUp(current);
      }
    }

    /**
     * How many others this rank lets go first, because they know more about whom to look at: who
     * knows what keeps streamed rows out before who only misses them, and both before who waits for
     * ranks that have not begun the step, because those wait in the step before.
     */
    private int courtesy(OpenStep current) {
      if (arrivals.headersThere(current) < members.domains().ranks()) {
        return 2;
      }
      return current.plan().plan().isStreamed() && !diagnosis.knowsWhoHoldsRoom(current) ? 1 : 0;
    }

    /** A rank that multiplies is not waiting. */
    private void noteWork(OpenStep current, long begin) {
      synchronized (ComputeLane.this) {
        progressAt = System.nanoTime();
        long rounds = Math.ceilDiv(tasks, workers.length);
        work.learn(block.rows(), (progressAt - begin) * rounds);
        space.pulses().beat(members.computeReader());
        int released = band;
        band = NO_BAND;
        release(current, released);
      }
    }

    private void noteFed() {
      synchronized (ComputeLane.this) {
        progressAt = System.nanoTime();
        space.pulses().beat(members.computeReader());
        feeder.done(part);
      }
    }

    /** Notes whether anything came in; returns how long this thread may wait for the next thing. */
    private long noteProgress(OpenStep current) {
      synchronized (ComputeLane.this) {
        if (hasProgressed(current)) {
          progressAt = System.nanoTime();
        }
        return members.deadlineNanos() - (System.nanoTime() - progressAt);
      }
    }

    private boolean isSomethingNew() {
      OpenStep current = step;
      return over || members.isBroken() || current == null || news(current) != seen;
    }

    private void giveUp(OpenStep current) {
      throw new DeadlineException(
          "rank %d gave up in step %d after %s without progress: %s"
              .formatted(
                  members.rank(),
                  current.number(),
                  diagnosis.patience(),
                  diagnosis.missingRows(current, feeder)));
    }
  }
}
