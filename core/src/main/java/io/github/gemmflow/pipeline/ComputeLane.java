// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.Schedule;
import io.github.gemmflow.window.Waiter;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Works on the rows of a step as they arrive. Each thread takes the next task of the current run;
 * when there is none left, it chooses the next run; when no row is ready, it sleeps.
 */
final class ComputeLane {
  private static final int NO_TASK = -1;

  private final Members members;
  private final Space space;
  private final Arrivals arrivals;
  private final Diagnosis diagnosis;
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
  private long progressAt;
  private long runCount;

  ComputeLane(Members members, Space space, Arrivals arrivals, Diagnosis diagnosis, Crew crew) {
    this.members = members;
    this.space = space;
    this.arrivals = arrivals;
    this.diagnosis = diagnosis;
    this.crew = crew;
    this.runs = new NextRun(members.rank(), members.domains().ranks() * Schedule.MAX_PARTS);
    this.workers = new Worker[crew.threads()];
    this.job = thread -> workers[thread].run();
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i);
    }
  }

  /** Does all the work of a step; returns when it is complete. */
  void run(OpenStep newStep, Work newWork) {
    synchronized (this) {
      step = newStep;
      work = newWork;
      tasks = 0;
      nextTask = 0;
      failure = null;
      over = false;
      runs.reset(newStep.plan());
      progress = arrivals.progress(newStep);
      progressAt = System.nanoTime();
    }
    crew.run(job);
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
  }

  /** How many runs the rows were worked on in, over all steps. */
  synchronized long runCount() {
    return runCount;
  }

  /** How often a thread went to sleep. */
  long sleeps() {
    long sum = 0;
    for (Worker worker : workers) {
      sum += worker.waiter.sleeps();
    }
    return sum;
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
    private long seen;

    Worker(int thread) {
      this.thread = thread;
    }

    void run() {
      try {
        OpenStep current = step;
        while (current != null && !over) {
          int task = take(current);
          if (task != NO_TASK) {
            work.perform(thread, task, firstRow, block);
            noteWork();
          } else if (!over) {
            awaitSomethingNew(current);
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
        while (nextTask == tasks && !over) {
          seen = arrivals.progress(current);
          arrivals.update(current, runs);
          if (runs.choose(current.plan(), work.worthwhileRows())) {
            runCount++;
            tasks = work.tasks(runs.end() - runs.begin());
            nextTask = 0;
          } else if (runs.allTaken(current.plan())) {
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
        space.rows(block, current, firstRow, runs.end());
        return nextTask++;
      }
    }

    private void awaitSomethingNew(OpenStep current) {
      long left = noteProgress();
      if (left > 0) {
        waiter.await(somethingNew, left);
        return;
      }
      if (!isSomethingNew()) {
        giveUp(current);
      }
    }

    /** A rank that multiplies is not waiting. */
    private void noteWork() {
      synchronized (ComputeLane.this) {
        progressAt = System.nanoTime();
        space.pulses().beat(members.computeReader());
      }
    }

    /** Notes whether anything came in; returns how long this thread may wait for the next thing. */
    private long noteProgress() {
      synchronized (ComputeLane.this) {
        if (seen > progress) {
          progress = seen;
          progressAt = System.nanoTime();
        }
        return members.deadlineNanos() - (System.nanoTime() - progressAt);
      }
    }

    private boolean isSomethingNew() {
      OpenStep current = step;
      return over || members.isBroken() || current == null || arrivals.progress(current) != seen;
    }

    private void giveUp(OpenStep current) {
      throw new DeadlineException(
          "rank %d gave up in step %d after %s without progress: %s"
              .formatted(
                  members.rank(),
                  current.number(),
                  diagnosis.patience(),
                  diagnosis.missingRows(current)));
    }
  }
}
