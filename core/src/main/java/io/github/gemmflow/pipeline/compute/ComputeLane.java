// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.Heartbeats;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.LifeWatch;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.pipeline.step.StepContext;
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
public abstract class ComputeLane {
  private final HostPeers peers;
  private final Heartbeats heartbeats;
  private final LifeWatch life;
  private final IntPredicate waitsFor = this::isWaitingFor;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final ComputeThreads computeThreads;
  private final Worker[] workers;
  private long runs;
  private long plainSteps;
  private long runsOfStep;
  private final IntConsumer job;

  // The step that is running; guarded by this.
  private @Nullable StepContext step;
  private @Nullable RuntimeException failure;
  private volatile boolean over;
  private long progress;
  private int busy;

  protected ComputeLane(LaneContext context) {
    this.peers = context.peers();
    this.heartbeats = context.heartbeats();
    this.life = new LifeWatch(peers, heartbeats);
    this.headers = context.headers();
    this.diagnosis = context.diagnosis();
    this.recorder = context.recorder();
    this.computeThreads = context.computeThreads();
    this.workers = new Worker[computeThreads.threads()];
    this.job = thread -> workers[thread].run();
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i);
    }
  }

  /** Gets ready for a step. Called under the lock. */
  protected abstract void start();

  /**
   * Takes a piece of work and does it, calling {@link #look} before it decides, {@link
   * #noteWorkBegins} and {@link #noteWork} around it, and {@link #finish} when the step's work is
   * done.
   *
   * @return whether there was any
   */
  protected abstract boolean workOnce(int thread);

  /** A number that grows whenever there is something new for this lane. */
  protected abstract long news();

  /**
   * Whether this lane waits for a lane of this host, and for nobody on another one, so that the
   * work of that lane is progress.
   */
  protected abstract boolean isWaitingFor(int reader);

  /** After this long there may be something to do although nothing has come in. */
  protected abstract long lookAgainNanos();

  /**
   * How many others this rank lets give up first, because they know more about what is wrong: 0 if
   * it knows which rank to look at, 1 if it waits for a rank of its own host that may know, 2 if a
   * rank has not begun the step.
   */
  protected abstract int giveUpDelay();

  /** What is missing, and whom to look at, for a person. */
  protected abstract String missing();

  /** Does all the work of a step; returns when it is complete. */
  protected final void runStep(StepContext newStep) {
    peers.callers().note();
    synchronized (this) {
      step = newStep;
      failure = null;
      over = false;
      runsOfStep = 0;
      start();
      progress = news();
      life.start();
    }
    computeThreads.run(job);
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
    countStep();
  }

  /** Whether the calling thread works on the step that is running. */
  public final boolean isWorking() {
    Thread caller = Thread.currentThread();
    for (Worker worker : workers) {
      if (caller.equals(worker.working)) {
        return true;
      }
    }
    return false;
  }

  /** Rows begin to be worked on together. Called under the lock. */
  protected final void countRun() {
    runsOfStep++;
  }

  private synchronized void countStep() {
    runs += runsOfStep;
    plainSteps += runsOfStep == 1 ? 1 : 0;
  }

  /** How many runs the rows were worked on in, over all steps. */
  public final synchronized long runs() {
    return runs;
  }

  /** In how many steps all rows were worked on in one run. */
  public final synchronized long plainSteps() {
    return plainSteps;
  }

  protected final int threads() {
    return workers.length;
  }

  /** How often a thread went to sleep. */
  public final long sleeps() {
    long sum = 0;
    for (Worker worker : workers) {
      sum += worker.waiter.sleeps();
    }
    return sum;
  }

  /** A thread looks around: what comes in after this is news to it. Called under the lock. */
  protected final void look(int thread) {
    workers[thread].seen = news();
  }

  protected final boolean isOver() {
    return over;
  }

  /** The step's work is done. */
  protected final void finish() {
    over = true;
    peers.ringSelf();
  }

  /** A thread has taken a piece of work. Called under the lock. */
  protected final void noteWorkBegins() {
    peers.turnToWork();
    if (busy++ == 0) {
      heartbeats.enter(peers.computeReader());
    }
  }

  /** A thread has done its piece of work; a rank that works is not waiting. Under the lock. */
  protected final void noteWork() {
    life.noteProgress();
    if (--busy == 0) {
      heartbeats.leave(peers.computeReader());
    } else {
      heartbeats.beat(peers.computeReader());
    }
  }

  private synchronized void fail(RuntimeException e) {
    if (failure == null) {
      failure = e;
    }
    finish();
  }

  private void checkWhole(StepContext current) {
    if (peers.isBroken()) {
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
    private final Waiter waiter = peers.newWaiter();
    private final BooleanSupplier somethingNew = this::isSomethingNew;
    private volatile @Nullable Thread working;
    private long seen;

    Worker(int thread) {
      this.thread = thread;
    }

    void run() {
      working = Thread.currentThread();
      try {
        StepContext current = step;
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
      } finally {
        working = null;
      }
    }

    private void awaitSomethingNew(StepContext current) {
      long left = noteProgress();
      if (left > 0) {
        waiter.await(somethingNew, Math.min(left, lookAgainNanos()));
        return;
      }
      waiter.await(somethingNew, giveUpDelay() * Diagnosis.GIVE_UP_DELAY_NANOS);
      if (!isSomethingNew() && noteProgress() <= 0) {
        throw new DeadlineException(
            "rank %d gave up in step %d after %s without progress: %s"
                .formatted(peers.rank(), current.number(), diagnosis.patience(), missing()));
      }
    }

    private boolean isSomethingNew() {
      StepContext current = step;
      return over || peers.isBroken() || current == null || news() != seen;
    }
  }
}
