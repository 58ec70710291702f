// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.plan.Overlap;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.TileCursor;
import io.github.gemmflow.trace.Span;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Computes this rank's partial sums tile by tile, those that travel farthest first, and adds up
 * what the ranks of its host have of the tiles that are this rank's business: first those that
 * other hosts wait for, then those that it wants itself. Every rank of the host goes through the
 * tiles in the same order and adds up what it can before it computes more, so that tiles which wait
 * for room never wait for each other.
 */
final class SumLane extends Lane {
  private final Members members;
  private final Arrivals arrivals;
  private final Diagnosis diagnosis;
  private final Recorder recorder;
  private final Piece[] pieces;
  private final Stage computing;
  private final Stage adding;
  private final Stage wanting;

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
    this.diagnosis = diagnosis;
    this.recorder = recorder;
    int domain = members.domain();
    int rank = members.rank();
    this.computing = new Stage(TileCursor.overTiles(domain));
    this.adding =
        new Stage(
            TileCursor.overPieces(
                domain,
                (layout, block) ->
                    layout.leaves(domain, block) && layout.owner(domain, block) == rank));
    this.wanting =
        new Stage(TileCursor.overPieces(domain, (layout, block) -> layout.isWanted(rank, block)));
    this.pieces = new Piece[crew.threads()];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = new Piece(members);
    }
  }

  /** One of the things that are done, in order: with tiles, or with pieces of them. */
  private static final class Stage {
    private final TileCursor next;
    private final Jobs jobs = new Jobs();

    // What began last.
    private int block;
    private long number;

    Stage(TileCursor next) {
      this.next = next;
    }

    void reset(SumLayout layout) {
      next.reset(layout);
      jobs.reset();
    }

    void begin(SumLayout layout, int tasks) {
      block = next.block(layout);
      number = next.number();
      jobs.begin(next.position(layout), tasks);
      next.advance(layout);
    }

    /** The position of the first tile that is not done with; after the last, how many there are. */
    long doneUpTo(SumLayout layout) {
      return jobs.isBusy() ? jobs.firstUndone() : next.position(layout);
    }

    boolean isDone(SumLayout layout) {
      return next.isAtEnd(layout) && !jobs.isBusy();
    }
  }

  /** What a thread works on: a task of a tile. */
  private static final class Piece {
    private final Adder adder;
    private final TileRows tile = new TileRows();
    private final Block rows = new Block();
    private long job;
    private int task;

    Piece(Members members) {
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
    SumLayout layout = layout(current);
    computing.reset(layout);
    adding.reset(layout);
    wanting.reset(layout);
    pass(current);
  }

  @Override
  boolean workOnce(OpenStep current, int thread) {
    Piece piece = pieces[thread];
    Stage stage = take(current, thread, piece);
    if (stage == null) {
      return false;
    }
    Span.Kind kind = stage.equals(computing) ? Span.Kind.WORK : Span.Kind.ADD;
    Recorder.Mark mark = recorder.begin(kind);
    long first = piece.tile.firstRow();
    if (stage.equals(computing)) {
      compute(current, piece, thread, first);
    } else if (stage.equals(adding)) {
      piece.adder.addHost(current, work.wire(), piece.tile);
    } else {
      piece.adder.addAll(current, work, piece.tile, first - firstWanted(current));
    }
    recorder.end(mark, current.number(), thread, first, piece.tile.rows());
    noteDone(current, stage, piece);
    return true;
  }

  private void compute(OpenStep current, Piece piece, int thread, long first) {
    Block a = work.input().block(piece.rows, first, first + piece.tile.rows());
    long target = current.sums().slotRow(current, piece.tile.position());
    work.partial().perform(thread, piece.task, target, a);
  }

  /** A rank that gets only its own rows has an output of just these. */
  private long firstWanted(OpenStep current) {
    SumLayout layout = layout(current);
    return layout.plan().problem().scattered() ? layout.blockBegin(members.rank()) : 0;
  }

  /** The stage that the next task is of; null if there is none now. */
  private synchronized @Nullable Stage take(OpenStep current, int thread, Piece piece) {
    look(current, thread);
    Stage stage = choose(current);
    if (stage == null) {
      SumLayout layout = layout(current);
      if (computing.isDone(layout) && adding.isDone(layout) && wanting.isDone(layout)) {
        finish();
      }
      return null;
    }
    noteWorkBegins();
    piece.job = stage.jobs.last();
    piece.task = stage.jobs.take();
    long position = stage.jobs.position(piece.job);
    if (stage.equals(computing)) {
      piece.tile.atTile(layout(current), stage.block, stage.number, position);
    } else {
      piece.tile.atPiece(layout(current), stage.block, stage.number, position);
      piece.tile.narrow(piece.task, stage.jobs.tasks());
    }
    return stage;
  }

  private @Nullable Stage choose(OpenStep current) {
    if (mayAdd(current) && hasTask(current, adding)) {
      return adding;
    }
    if (mayAdd(current) && hasTask(current, wanting)) {
      return wanting;
    }
    return hasTask(current, computing) ? computing : null;
  }

  /** Without overlap all is computed before anything leaves. */
  private boolean mayAdd(OpenStep current) {
    return layout(current).plan().overlap() == Overlap.PIPELINED
        || computing.isDone(layout(current));
  }

  /** Whether there is a task of a stage; begins its next tile if need be. */
  private boolean hasTask(OpenStep current, Stage stage) {
    SumLayout layout = layout(current);
    while (!stage.jobs.hasTask()) {
      if (stage.next.isAtEnd(layout) || stage.jobs.isFull() || !isReady(current, stage)) {
        return false;
      }
      int tasks = tasks(layout, stage);
      stage.begin(layout, tasks);
      if (tasks == 0 && stage.jobs.settle()) {
        noteDone(current, stage);
      }
    }
    return true;
  }

  private int tasks(SumLayout layout, Stage stage) {
    int block = stage.next.block(layout);
    long number = stage.next.number();
    if (stage.equals(computing)) {
      long begin = layout.rangeTileBegin(block, number);
      return work.partial().tasks(layout.rangeTileBegin(block, number + 1) - begin);
    }
    long rows = layout.pieceBegin(block, number + 1) - layout.pieceBegin(block, number);
    return (int) Math.min(rows, threads());
  }

  private boolean isReady(OpenStep current, Stage stage) {
    SumSpace sums = current.sums();
    SumLayout layout = layout(current);
    int block = stage.next.block(layout);
    long position = stage.next.position(layout);
    if (stage.equals(computing)) {
      return sums.slots().isFree(sums.use(current, position));
    }
    if (stage.equals(wanting) && layout.leaves(members.domain(), block)) {
      int owner = layout.owner(members.domain(), block);
      return arrivals.verify(current, owner)
          && sums.isAdded(current, owner, position)
          && haveOthersSent(current, block, stage.next.number());
    }
    for (int i = 0; i < members.hostRanks(); i++) {
      int rank = members.hostRank(i);
      if (!arrivals.verify(current, rank) || !sums.isComputed(current, rank, position)) {
        return false;
      }
    }
    return stage.equals(adding) || haveOthersSent(current, block, stage.next.number());
  }

  private boolean haveOthersSent(OpenStep current, int block, long piece) {
    for (int domain = 0; domain < members.domains().count(); domain++) {
      if (domain != members.domain() && !hasSent(current, domain, block, piece)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasSent(OpenStep current, int domain, int block, long piece) {
    SumLayout layout = layout(current);
    long needed = layout.chunksBefore(block, piece + 1);
    // Who sent them says what they are; who received them decided where they lie.
    return arrivals.verify(current, layout.owner(domain, block))
        && arrivals.verify(current, layout.owner(members.domain(), block))
        && current.sums().arrived(current, layout.route(domain, block)) >= needed;
  }

  private synchronized void noteDone(OpenStep current, Stage stage, Piece piece) {
    noteWork();
    if (stage.jobs.finish(piece.job)) {
      noteDone(current, stage);
    }
  }

  /** Tells the others how far a stage has come. */
  private void noteDone(OpenStep current, Stage stage) {
    if (stage.equals(computing)) {
      current.sums().publishComputed(current, members.rank(), stage.doneUpTo(layout(current)));
      members.ringHost();
      return;
    }
    if (stage.equals(adding)) {
      current.sums().publishAdded(current, members.rank(), stage.doneUpTo(layout(current)));
      members.ringComm();
      members.ringHost();
      return;
    }
    pass(current);
  }

  /**
   * Lets go of the slots before the first that this rank wants to read. What it adds up for other
   * hosts its comm lane does not let go of before that is sent.
   */
  private void pass(OpenStep current) {
    SumSpace sums = current.sums();
    long position = wanting.doneUpTo(layout(current));
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
    return isNeighbourBehind(current) || isNotAdded(current) || isNeighbourInTheWay(current);
  }

  @Override
  long lookAgainNanos(OpenStep current) {
    return Pulses.LOOK_NANOS;
  }

  /**
   * Who waits for another host, or for its own comm lane, knows which host to look at; who waits
   * for a rank of its own host may only wait for that one, and who is kept out by it even more so.
   */
  @Override
  synchronized int courtesy(OpenStep current) {
    if (arrivals.headersThere(current) < members.domains().ranks()) {
      return 2;
    }
    if (isNeighbourBehind(current) || isNotAdded(current)) {
      return 1;
    }
    boolean byOthers = current.sums().slots().slowReader() != members.commReader();
    return isNeighbourInTheWay(current) && byOthers ? 2 : 0;
  }

  @Override
  synchronized String missing(OpenStep current) {
    SumLayout layout = layout(current);
    SumSpace sums = current.sums();
    String missing;
    if (isNeighbourBehind(current)) {
      missing =
          diagnosis.hostRanksBehind(i -> sums.computed(members.hostRank(i)))
              + " did not compute partial sums"
              + describeBlocked(layout);
    } else if (isNotAdded(current)) {
      int owner = layout.owner(members.domain(), wanting.next.block(layout));
      missing = "rank %d did not add up partial sums%s".formatted(owner, describeBlocked(layout));
    } else if (isNeighbourInTheWay(current)) {
      missing =
          "there is no room for partial sums of %s, because ".formatted(describeNextTile(layout))
              + diagnosis.describeReader(sums.slots().slowReader());
    } else {
      missing = missingFromOthers(current);
    }
    return diagnosis.missingSums(current, missing);
  }

  /** The stage that holds up the step if nothing is ready. */
  private Stage blocked(SumLayout layout) {
    return adding.next.isAtEnd(layout) ? wanting : adding;
  }

  /** The rows that this rank waits for, or those that it has no room for. */
  private String describeBlocked(SumLayout layout) {
    TileCursor next = blocked(layout).next;
    if (!next.isAtEnd(layout)) {
      return " of " + layout.describePiece(next.block(layout), next.number());
    }
    return computing.next.isAtEnd(layout)
        ? ""
        : ", which leaves no room for those of " + describeNextTile(layout);
  }

  private String describeNextTile(SumLayout layout) {
    int head = computing.next.block(layout);
    long tile = computing.next.number();
    return "rows %d-%d"
        .formatted(layout.rangeTileBegin(head, tile), layout.rangeTileBegin(head, tile + 1) - 1);
  }

  /**
   * Whether this rank waits for others of its host to compute. All go in the same order, so that
   * the last ones hold up the others, and who is one of them waits for something else.
   */
  private boolean isNeighbourBehind(OpenStep current) {
    SumSpace sums = current.sums();
    SumLayout layout = layout(current);
    TileCursor next = blocked(layout).next;
    long needed = next.isAtEnd(layout) ? 0 : sums.use(current, next.position(layout)) + 1;
    long mine = sums.computed(members.rank());
    for (int i = 0; i < members.hostRanks(); i++) {
      long computed = sums.computed(members.hostRank(i));
      if (computed < mine && (computed < needed || lacksRoom(current))) {
        return true;
      }
    }
    return false;
  }

  /** Whether what this rank wants is added up by another one for all, and is not. */
  private boolean isNotAdded(OpenStep current) {
    SumLayout layout = layout(current);
    if (!adding.next.isAtEnd(layout) || wanting.next.isAtEnd(layout)) {
      return false;
    }
    int block = wanting.next.block(layout);
    int owner = layout.owner(members.domain(), block);
    return layout.leaves(members.domain(), block)
        && owner != members.rank()
        && !current.sums().isAdded(current, owner, wanting.next.position(layout));
  }

  private boolean lacksRoom(OpenStep current) {
    SumSpace sums = current.sums();
    SumLayout layout = layout(current);
    return !computing.next.isAtEnd(layout)
        && !sums.slots().isFree(sums.use(current, computing.next.position(layout)));
  }

  /** Whether others keep this rank from computing more: not it itself, who waits for sums. */
  private boolean isNeighbourInTheWay(OpenStep current) {
    SlotRing slots = current.sums().slots();
    return lacksRoom(current)
        && slots.passed(slots.slowReader()) < slots.passed(members.computeReader());
  }

  private String missingFromOthers(OpenStep current) {
    StringJoiner text = new StringJoiner("; ");
    SumLayout layout = layout(current);
    if (wanting.next.isAtEnd(layout)) {
      return "";
    }
    int block = wanting.next.block(layout);
    for (int domain = 0; domain < members.domains().count(); domain++) {
      if (domain != members.domain() && !hasSent(current, domain, block, wanting.next.number())) {
        int route = layout.route(domain, block);
        text.add(
            "%s did not arrive (rank %d -> rank %d)"
                .formatted(
                    layout.describe(route, Math.max(0, current.sums().arrived(current, route))),
                    layout.owner(domain, block),
                    layout.owner(members.domain(), block)));
      }
    }
    return text.toString();
  }
}
