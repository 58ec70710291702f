// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.compute.ComputeLane;
import io.github.gemmflow.pipeline.compute.LaneContext;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.Heartbeats;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.News;
import io.github.gemmflow.pipeline.step.Recorder;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.trace.Span;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compute threads of a rank in a summing step. They compute this rank's partial sums and add up
 * those of all ranks of the host, tile by tile, as {@link NextTile} decides.
 */
public final class SumLane extends ComputeLane {
  private final HostPeers peers;
  private final HeaderCheck headers;
  private final Recorder recorder;
  private final Scratch[] scratch;
  private final News news;
  private final NextTile next;
  private final SumDiagnosis diagnosis;

  // The step that is running; guarded by this.
  private @Nullable SumStep step;
  private @Nullable SumProgress progress;
  private SumWork work = new SumWork(RowWork.NONE, DType.F32, Epilogue.NONE, false);

  public SumLane(LaneContext context) {
    super(context);
    this.peers = context.peers();
    this.headers = context.headers();
    this.news = context.news();
    this.recorder = context.recorder();
    this.next = new NextTile(peers.rank(), peers.hosts());
    this.diagnosis = new SumDiagnosis(peers, headers, context.diagnosis(), next);
    this.scratch = new Scratch[context.computeThreads().threads()];
    for (int i = 0; i < scratch.length; i++) {
      scratch[i] = new Scratch(peers);
    }
  }

  /** Scratch of one thread: the task that it works on. */
  private static final class Scratch {
    private final PartialSummer summer;
    private final TileRows tile = new TileRows();
    private final Block rows = new Block();
    private long job;
    private int task;

    Scratch(HostPeers peers) {
      this.summer = new PartialSummer(peers);
    }
  }

  /** Does all the work of a step; returns when this rank's sums are complete. */
  public void run(SumStep newStep, SumProgress newProgress, SumWork newWork) {
    synchronized (this) {
      step = newStep;
      progress = newProgress;
      work = newWork;
    }
    runStep(newStep.open());
  }

  private SumStep step() {
    return Objects.requireNonNull(step);
  }

  private SumProgress progress() {
    return Objects.requireNonNull(progress);
  }

  private SumLayout layout() {
    return step().layout();
  }

  @Override
  protected void start() {
    next.reset(layout());
    pass();
  }

  @Override
  protected boolean workOnce(int thread) {
    Scratch mine = scratch[thread];
    Stage stage = take(thread, mine);
    if (stage == null) {
      return false;
    }
    Recorder.Mark mark = recorder.begin(stage == Stage.COMPUTE ? Span.Kind.WORK : Span.Kind.ADD);
    long first = mine.tile.firstRow();
    switch (stage) {
      case COMPUTE -> compute(mine, thread, first);
      case ADD_HOST -> mine.summer.addHost(step(), work.wire(), mine.tile);
      case ADD_TOTAL -> mine.summer.addTotal(step(), work.wire(), mine.tile);
      case ADD_ALL -> mine.summer.addAll(step(), work, mine.tile, first - firstWanted());
    }
    recorder.end(mark, step().open().number(), thread, first, mine.tile.rows());
    noteDone(stage, mine);
    return true;
  }

  private void compute(Scratch mine, int thread, long first) {
    Block a = work.input().block(mine.rows, first, first + mine.tile.rows());
    long target = step().slotRow(mine.tile.position());
    work.partial().perform(thread, mine.task, target, a);
  }

  /** A rank that gets only its own rows has an output of just these. */
  private long firstWanted() {
    SumLayout layout = layout();
    return layout.plan().problem().scattered() ? layout.firstRow(peers.rank()) : 0;
  }

  /** The stage that the next task is of; null if there is none now. */
  private synchronized @Nullable Stage take(int thread, Scratch mine) {
    look(thread);
    SumLayout layout = layout();
    Stage stage = next.choose(layout, progress());
    while (stage != null && !next.hasTask(stage)) {
      if (stage == Stage.COMPUTE) {
        countRun();
      }
      if (next.begin(layout, stage, tasks(layout, stage))) {
        publish(stage);
      }
      stage = next.choose(layout, progress());
    }
    if (stage == null) {
      if (next.isOver(layout)) {
        finish();
      }
      return null;
    }
    noteWorkBegins();
    mine.job = next.job(stage);
    mine.task = next.take(stage);
    long position = next.position(stage);
    if (stage == Stage.COMPUTE) {
      mine.tile.atTile(layout, next.block(stage), next.number(stage), position);
    } else {
      mine.tile.atPiece(layout, next.block(stage), next.number(stage), position);
      mine.tile.narrow(mine.task, next.tasks(stage));
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
    long rows = layout.pieceEnd(block, number) - layout.pieceBegin(block, number);
    return (int) Math.min(rows, threads());
  }

  private synchronized void noteDone(Stage stage, Scratch mine) {
    noteWork();
    if (next.finish(stage, mine.job)) {
      publish(stage);
    }
  }

  /** Tells the others how far a stage has come. */
  private void publish(Stage stage) {
    long doneUpTo = next.doneUpTo(layout(), stage);
    switch (stage) {
      case COMPUTE -> {
        step().publishComputed(peers.rank(), doneUpTo);
        peers.ringHost();
      }
      case ADD_HOST -> {
        step().publishAdded(peers.rank(), doneUpTo);
        peers.send();
        peers.ringHost();
      }
      case ADD_TOTAL -> {
        step().publishTotalled(peers.rank(), doneUpTo);
        peers.send();
        peers.ringHost();
      }
      case ADD_ALL -> pass();
    }
  }

  /**
   * Lets go of the slots before the first that this rank wants to read. What it adds up for other
   * hosts its communication thread does not let go of before that is sent.
   */
  private void pass() {
    if (step().pass(peers.computeReader(), next.doneUpTo(layout(), Stage.ADD_ALL))) {
      peers.ringHost();
    }
  }

  @Override
  protected long news() {
    return headers.begunOnThisHost() + news.total() + step().window().progress();
  }

  @Override
  protected synchronized boolean isWaitingFor(int reader) {
    return diagnosis.isWaitingForHost(step());
  }

  @Override
  protected long lookAgainNanos() {
    return Heartbeats.LOOK_NANOS;
  }

  @Override
  protected synchronized int giveUpDelay() {
    return diagnosis.giveUpDelay(step());
  }

  @Override
  protected synchronized String missing() {
    return diagnosis.missing(step(), progress());
  }
}
