// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.trace.Span;
import org.jspecify.annotations.Nullable;

/**
 * Compute threads of a rank in a summing step. They compute this rank's partial sums and add up
 * those of all ranks of the host, tile by tile, as {@link NextTile} decides.
 */
final class SumLane extends Lane {
  private final Members members;
  private final Arrivals arrivals;
  private final Recorder recorder;
  private final TaskSlot[] slots;
  private final NextTile next;
  private final SumProgress progress;
  private final SumDiagnosis diagnosis;

  // The step that is running; guarded by this.
  private SumWork work = new SumWork(Work.NONE, DType.F32, null, false);

  SumLane(
      Members members,
      Pulses pulses,
      Arrivals arrivals,
      Diagnosis diagnosis,
      Recorder recorder,
      Crew crew) {
    super(members, pulses, arrivals, diagnosis, recorder, crew);
    this.members = members;
    this.arrivals = arrivals;
    this.recorder = recorder;
    this.next = new NextTile(members.rank(), members.domains());
    this.progress = new SumProgress(members, arrivals);
    this.diagnosis = new SumDiagnosis(members, arrivals, diagnosis, next, progress);
    this.slots = new TaskSlot[crew.threads()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new TaskSlot(members);
    }
  }

  /** Scratch of one thread: the task that it works on. */
  private static final class TaskSlot {
    private final Adder adder;
    private final TileRows tile = new TileRows();
    private final Block rows = new Block();
    private long job;
    private int task;

    TaskSlot(Members members) {
      this.adder = new Adder(members);
    }
  }

  /** Does all the work of a step; returns when this rank's sums are complete. */
  void run(OpenStep step, SumWork newWork) {
    synchronized (this) {
      work = newWork;
    }
    runStep(step);
  }

  private static SumLayout layout(OpenStep current) {
    return current.sums().layout(current.room());
  }

  @Override
  void start(OpenStep current) {
    progress.bind(current);
    next.reset(layout(current));
    pass(current);
  }

  @Override
  boolean workOnce(OpenStep current, int thread) {
    TaskSlot slot = slots[thread];
    Stage stage = take(current, thread, slot);
    if (stage == null) {
      return false;
    }
    Recorder.Mark mark = recorder.begin(stage == Stage.COMPUTE ? Span.Kind.WORK : Span.Kind.ADD);
    long first = slot.tile.firstRow();
    switch (stage) {
      case COMPUTE -> compute(current, slot, thread, first);
      case ADD_HOST -> slot.adder.addHost(current, work.wire(), slot.tile);
      case ADD_ALL -> slot.adder.addAll(current, work, slot.tile, first - firstWanted(current));
    }
    recorder.end(mark, current.number(), thread, first, slot.tile.rows());
    noteDone(current, stage, slot);
    return true;
  }

  private void compute(OpenStep current, TaskSlot slot, int thread, long first) {
    Block a = work.input().block(slot.rows, first, first + slot.tile.rows());
    long target = current.sums().slotRow(current, slot.tile.position());
    work.partial().perform(thread, slot.task, target, a);
  }

  /** A rank that gets only its own rows has an output of just these. */
  private long firstWanted(OpenStep current) {
    SumLayout layout = layout(current);
    return layout.plan().problem().scattered() ? layout.blockBegin(members.rank()) : 0;
  }

  /** The stage that the next task is of; null if there is none now. */
  private synchronized @Nullable Stage take(OpenStep current, int thread, TaskSlot slot) {
    look(current, thread);
    SumLayout layout = layout(current);
    Stage stage = next.choose(layout, progress);
    while (stage != null && !next.hasTask(stage)) {
      if (next.begin(layout, stage, tasks(layout, stage))) {
        publish(current, stage);
      }
      stage = next.choose(layout, progress);
    }
    if (stage == null) {
      if (next.isOver(layout)) {
        finish();
      }
      return null;
    }
    noteWorkBegins();
    slot.job = next.job(stage);
    slot.task = next.take(stage);
    long position = next.position(stage);
    if (stage == Stage.COMPUTE) {
      slot.tile.atTile(layout, next.block(stage), next.number(stage), position);
    } else {
      slot.tile.atPiece(layout, next.block(stage), next.number(stage), position);
      slot.tile.narrow(slot.task, next.tasks(stage));
    }
    return stage;
  }

  /** How many tasks the next tile of a stage consists of. */
  private int tasks(SumLayout layout, Stage stage) {
    int block = next.next(stage).block(layout);
    long number = next.next(stage).number();
    if (stage == Stage.COMPUTE) {
      long begin = layout.rangeTileBegin(block, number);
      return work.partial().tasks(layout.rangeTileBegin(block, number + 1) - begin);
    }
    long rows = layout.pieceBegin(block, number + 1) - layout.pieceBegin(block, number);
    return (int) Math.min(rows, threads());
  }

  private synchronized void noteDone(OpenStep current, Stage stage, TaskSlot slot) {
    noteWork();
    if (next.finish(stage, slot.job)) {
      publish(current, stage);
    }
  }

  /** Tells the others how far a stage has come. */
  private void publish(OpenStep current, Stage stage) {
    long doneUpTo = next.doneUpTo(layout(current), stage);
    switch (stage) {
      case COMPUTE -> {
        current.sums().publishComputed(current, members.rank(), doneUpTo);
        members.ringHost();
      }
      case ADD_HOST -> {
        current.sums().publishAdded(current, members.rank(), doneUpTo);
        members.ringComm();
        members.ringHost();
      }
      case ADD_ALL -> pass(current);
    }
  }

  /**
   * Lets go of the slots before the first that this rank wants to read. What it adds up for other
   * hosts its comm lane does not let go of before that is sent.
   */
  private void pass(OpenStep current) {
    SumSpace sums = current.sums();
    long position = next.doneUpTo(layout(current), Stage.ADD_ALL);
    boolean news =
        sums.slots()
            .pass(members.computeReader(), sums.use(current, 0), sums.use(current, position));
    if (news) {
      members.ringHost();
    }
  }

  @Override
  long news(OpenStep current) {
    return arrivals.headersThere(current) + current.sums().progress();
  }

  @Override
  synchronized boolean isWaitingFor(OpenStep current, int reader) {
    return diagnosis.isWaitingForHost(current);
  }

  @Override
  long lookAgainNanos(OpenStep current) {
    return Pulses.LOOK_NANOS;
  }

  @Override
  synchronized int courtesy(OpenStep current) {
    return diagnosis.courtesy(current);
  }

  @Override
  synchronized String missing(OpenStep current) {
    return diagnosis.missing(current);
  }
}
