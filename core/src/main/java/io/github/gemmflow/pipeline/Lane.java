// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.window.Waiter;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The compute threads of a rank in a step. Each does one piece of work after the other; when
 * nothing is ready, it sleeps, and gives up when nothing has happened for the deadline. What is to
 * be done is a matter of subclasses, whose state in a step is guarded by this.
 */
abstract class Lane {
  private final Members members;
  private final Pulses pulses;
  private final LifeWatch life;
  private final IntPredicate waitsFor = this::isWaitingFor;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final Crew crew;
  private final Worker[] workers;
  private final IntConsumer job;

  // The step that is running; guarded by this.
  private @Nullable OpenStep step;
  private @Nullable RuntimeException failure;
  private volatile boolean over;
  private long progress;
  private int busy;

  Lane(
      Members members,
      Pulses pulses,
      HeaderCheck headers,
      Diagnosis diagnosis,
      Recorder recorder,
      Crew crew) {
    this.members = members;
    this.pulses = pulses;
    this.life = new LifeWatch(members, pulses);
    this.headers = headers;
    this.diagnosis = diagnosis;
    this.recorder = recorder;
    this.crew = crew;
    this.workers = new Worker[crew.threads()];
    this.job = thread -> workers[thread].run();
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i);
    }
  }

  /** Gets ready for a step. Called under the lock. */
  abstract void start();

  /**
   * Takes a piece of work and does it, calling {@link #look} before it decides, {@link
   * #noteWorkBegins} and {@link #noteWork} around it, and {@link #finish} when the step's work is
   * done.
   *
   * @return whether there was any
   */
  abstract boolean workOnce(int thread);

  /** A number that grows whenever there is something new for this lane. */
  abstract long news();

  /**
   * Whether this lane waits for a lane of this host, and for nobody on another one, so that the
   * work of that lane is progress.
   */
  abstract boolean isWaitingFor(int reader);

  /** After this long there may be something to do although nothing has come in. */
  abstract long lookAgainNanos();

  /** How many others this rank lets give up first, because they know more about what is wrong. */
  abstract int courtesy();

  /** What is missing, and whom to look at, for a person. */
  abstract String missing();

  /** Does all the work of a step; returns when it is complete. */
  final void runStep(OpenStep newStep) {
    synchronized (this) {
      step = newStep;
      failure = null;
      over = false;
      start();
      progress = news();
      life.start();
    }
    crew.run(job);
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
  }

  final int threads() {
    return workers.length;
  }

  /** How often a thread went to sleep. */
  final long sleeps() {
    long sum = 0;
    for (Worker worker : workers) {
      sum += worker.waiter.sleeps();
    }
    return sum;
  }

  /** A thread looks around: what comes in after this is news to it. Called under the lock. */
  final void look(int thread) {
    workers[thread].seen = news();
  }

  final boolean isOver() {
    return over;
  }

  /** The step's work is done. */
  final void finish() {
    over = true;
    members.ringSelf();
  }

  /** A thread has taken a piece of work. Called under the lock. */
  final void noteWorkBegins() {
    if (busy++ == 0) {
      pulses.enter(members.computeReader());
    }
  }

  /** A thread has done its piece of work; a rank that works is not waiting. Under the lock. */
  final void noteWork() {
    life.noteProgress();
    if (--busy == 0) {
      pulses.leave(members.computeReader());
    } else {
      pulses.beat(members.computeReader());
    }
  }

  private synchronized void fail(RuntimeException e) {
    if (failure == null) {
      failure = e;
    }
    finish();
  }

  private void checkWhole(OpenStep current) {
    if (members.isBroken()) {
      synchronized (this) {
        headers.checkWhole(current);
      }
    }
  }

  /** Notes whether anything came in; returns how long a thread may wait for the next thing. */
  private synchronized long noteProgress() {
    long newNews = news();
    if (newNews > progress) {
      life.noteProgress();
    }
    progress = newNews;
    return life.left(waitsFor);
  }

  /** One thread of the lane. */
  private final class Worker {
    private final int thread;
    private final Waiter waiter = members.newWaiter();
    private final BooleanSupplier somethingNew = this::isSomethingNew;
    private long seen;

    Worker(int thread) {
      this.thread = thread;
    }

    void run() {
      try {
        OpenStep current = step;
        while (current != null && !over) {
          checkWhole(current);
          if (!workOnce(thread) && !over) {
            Recorder.Mark mark = recorder.begin(Span.Kind.WAIT);
            awaitSomethingNew(current);
            recorder.end(mark, current.number(), thread, 0, 0);
          }
        }
      } catch (RuntimeException e) {
        fail(e);
      } catch (Error e) {
        fail(new IllegalStateException("the work on a step failed: " + e, e));
      }
    }

    private void awaitSomethingNew(OpenStep current) {
      long left = noteProgress();
      if (left > 0) {
        waiter.await(somethingNew, Math.min(left, lookAgainNanos()));
        return;
      }
      waiter.await(somethingNew, courtesy() * Diagnosis.AFTER_YOU_NANOS);
      if (!isSomethingNew() && noteProgress() <= 0) {
        throw new DeadlineException(
            "rank %d gave up in step %d after %s without progress: %s"
                .formatted(members.rank(), current.number(), diagnosis.patience(), missing()));
      }
    }

    private boolean isSomethingNew() {
      OpenStep current = step;
      return over || members.isBroken() || current == null || news() != seen;
    }
  }
}
