// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.model;

import io.github.gemmflow.model.Explorer.Successors;
import io.github.gemmflow.model.Explorer.Violation;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.Transfers;
import java.util.Arrays;
import java.util.List;

/**
 * Model of the protocol of summing steps: partial sums in a ring of slots, sums of a host in their
 * place, and sums of other hosts in rooms of their own. What may be computed or added up is decided
 * by {@link NextTile}; a rank may do anything that can be done, not only what that prefers, so the
 * result holds for any preference. All work has a beginning and an end, and what it reads is looked
 * at twice.
 */
final class SumModel extends StepModel<SumLayout> {
  /** What is wrong with the protocol, to see whether that is found. */
  enum Flaw {
    NONE,
    /** Partial sums are announced when they are begun. */
    PUBLISH_BEFORE_COMPUTED,
    /** Sums for other hosts give up their slots when they are added up. */
    REUSE_BEFORE_SENT,
    /** Sums of other hosts are not waited for. */
    READ_BEFORE_ARRIVED,
    /** Nothing is added up before all is computed, although there are fewer slots than tiles. */
    COMPUTE_ALL_FIRST
  }

  private static final List<Stage> STAGES = List.of(Stage.values());
  private static final int ROOMS = 2;

  private final int threads;
  private final int slots;
  private final Flaw flaw;
  private final int ranks;
  private final int mostChunks;
  private final NextTile[] tiles;

  // Where things lie in a state.
  private final int begun;
  private final int finished;
  private final int computed;
  private final int added;
  private final int totalled;
  private final int passed;
  private final int parts;
  private final int sums;

  /**
   * A group that makes some steps of the same plan.
   *
   * @param rowsPerRank the rows of each rank in each step
   * @param threads the compute threads of each rank
   */
  SumModel(SumPlan plan, long[][] rowsPerRank, int threads, Flaw flaw) {
    super(plan.hosts(), layouts(plan, rowsPerRank), Transfers::fill);
    this.threads = threads;
    this.slots = plan.slots();
    this.flaw = flaw;
    this.ranks = ranks();
    this.mostChunks = mostChunks(rowsPerRank.length);
    this.tiles = new NextTile[ranks];
    Arrays.setAll(tiles, rank -> new NextTile(rank, plan.hosts()));
    this.begun = room(ranks * STAGES.size());
    this.finished = room(ranks * STAGES.size());
    this.computed = room(ranks);
    this.added = room(ranks);
    this.totalled = room(ranks);
    this.passed = room(2 * ranks);
    this.parts = room(ranks * slots * ranks);
    this.sums = room(hosts().count() * ROOMS * layout(0).routes() * mostChunks);
  }

  private static SumLayout[] layouts(SumPlan plan, long[][] rowsPerRank) {
    SumLayout[] layouts = new SumLayout[rowsPerRank.length];
    for (int step = 0; step < layouts.length; step++) {
      layouts[step] = plan.step();
      layouts[step].lay(rowsPerRank[step]);
    }
    return layouts;
  }

  private int mostChunks(int steps) {
    long most = 1;
    for (int step = 0; step < steps; step++) {
      for (int route = 0; route < layout(step).routes(); route++) {
        most = Math.max(most, layout(step).chunks(route));
      }
    }
    return (int) most;
  }

  @Override
  void initialise(byte[] state) {}

  // What a rank does.

  private static int at(int rank, Stage stage) {
    return rank * STAGES.size() + STAGES.indexOf(stage);
  }

  /** The decisions of a rank, after all that it has begun and finished in its step. */
  private NextTile tiles(byte[] state, int rank) {
    NextTile next = tiles[rank];
    SumLayout layout = layout(stepOf(state, rank));
    next.reset(layout);
    for (Stage stage : STAGES) {
      int at = at(rank, stage);
      for (int job = 0; job < state[begun + at]; job++) {
        next.begin(layout, stage, 1);
        next.take(stage);
        if ((state[finished + at] >> job & 1) != 0) {
          next.finish(stage, job);
        }
      }
    }
    return next;
  }

  @Override
  boolean isWorkDone(byte[] state, int rank) {
    return tiles(state, rank).isOver(layout(stepOf(state, rank)));
  }

  @Override
  void start(byte[] state, int rank) {
    for (Stage stage : STAGES) {
      state[begun + at(rank, stage)] = 0;
      state[finished + at(rank, stage)] = 0;
    }
    passRead(state, rank);
  }

  @Override
  void compute(byte[] state, int rank, Successors next) {
    int underWay = 0;
    for (Stage stage : STAGES) {
      int at = at(rank, stage);
      for (int job = 0; job < state[begun + at]; job++) {
        if ((state[finished + at] >> job & 1) == 0) {
          underWay++;
          end(state, rank, stage, job, next);
        }
      }
    }
    for (Stage stage : STAGES) {
      if (underWay < threads && canGoOn(state, rank, stage)) {
        begin(state, rank, stage, next);
      }
    }
  }

  private boolean canGoOn(byte[] state, int rank, Stage stage) {
    SumLayout layout = layout(stepOf(state, rank));
    NextTile decisions = tiles(state, rank);
    if (flaw == Flaw.COMPUTE_ALL_FIRST
        && stage != Stage.COMPUTE
        && !decisions.isDone(layout, Stage.COMPUTE)) {
      return false;
    }
    return decisions.canGoOn(layout, stage, new Seen(state, rank));
  }

  private void begin(byte[] state, int rank, Stage stage, Successors next) {
    byte[] after = state.clone();
    after[begun + at(rank, stage)]++;
    Job job = job(after, rank, stage, after[begun + at(rank, stage)] - 1);
    switch (stage) {
      case COMPUTE -> write(after, rank, job, 0);
      case ADD_HOST -> {
        checkParts(after, rank, job);
        write(after, rank, job, 0);
      }
      case ADD_TOTAL -> {
        checkParts(after, rank, job);
        checkReceived(after, rank, job, Stage.ADD_TOTAL);
        write(after, rank, job, 0);
      }
      case ADD_ALL -> checkAll(after, rank, job);
    }
    if (stage == Stage.COMPUTE && flaw == Flaw.PUBLISH_BEFORE_COMPUTED) {
      after[computed + rank] = (byte) Math.max(after[computed + rank], job.use + 1);
    }
    next.add(() -> "rank %d begins: %s, %s".formatted(rank, stage, job), settle(after, rank));
  }

  private void end(byte[] state, int rank, Stage stage, int number, Successors next) {
    byte[] after = state.clone();
    after[finished + at(rank, stage)] |= (byte) (1 << number);
    Job job = job(after, rank, stage, number);
    SumLayout layout = layout(job.step);
    long doneUpTo = use(job.step) + tiles(after, rank).doneUpTo(layout, stage);
    switch (stage) {
      case COMPUTE -> {
        write(after, rank, job, part(job.use));
        after[computed + rank] = (byte) Math.max(after[computed + rank], doneUpTo);
      }
      case ADD_HOST -> {
        checkOtherParts(after, rank, job);
        write(after, rank, job, sum(job.use));
        after[added + rank] = (byte) doneUpTo;
      }
      case ADD_TOTAL -> {
        checkOtherParts(after, rank, job);
        checkReceived(after, rank, job, Stage.ADD_TOTAL);
        write(after, rank, job, total(job.use));
        after[totalled + rank] = (byte) doneUpTo;
      }
      case ADD_ALL -> {
        checkAll(after, rank, job);
        passRead(after, rank);
      }
    }
    next.add(() -> "rank %d ends: %s, %s".formatted(rank, stage, job), settle(after, rank));
  }

  /**
   * A tile, or a piece of one.
   *
   * @param block the block of a piece; negative for all blocks of a tile
   */
  private record Job(int step, int block, long piece, long use) {}

  private Job job(byte[] state, int rank, Stage stage, int number) {
    int step = stepOf(state, rank);
    SumLayout layout = layout(step);
    NextTile decisions = tiles[rank];
    decisions.reset(layout);
    for (int i = 0; i <= number; i++) {
      decisions.begin(layout, stage, 1);
      decisions.take(stage);
      decisions.finish(stage, i);
    }
    int block = stage == Stage.COMPUTE ? -1 : decisions.block(stage);
    return new Job(step, block, decisions.number(stage), use(step) + decisions.position(stage));
  }

  /** What a rank sees of others; the flaw may make it see what is not there. */
  private final class Seen implements NextTile.Progress {
    private final byte[] state;
    private final int host;
    private final int step;

    Seen(byte[] state, int rank) {
      this.state = state;
      this.host = hosts().hostOf(rank);
      this.step = stepOf(state, rank);
    }

    @Override
    public boolean isFree(long position) {
      return use(step) + position < Slots.filledUpTo(slowest(state, host), slots);
    }

    @Override
    public boolean isComputed(int rank, long position) {
      return state[computed + rank] > use(step) + position;
    }

    @Override
    public boolean isAdded(int rank, long position) {
      return state[added + rank] > use(step) + position;
    }

    @Override
    public boolean isTotalled(int rank, long position) {
      return state[totalled + rank] > use(step) + position;
    }

    @Override
    public long arrived(int route) {
      int chunks = SumModel.this.arrived(state, host, route) - base(step, route);
      return flaw == Flaw.READ_BEFORE_ARRIVED ? layout(step).chunks(route) : chunks;
    }
  }

  // What the communication threads do.

  @Override
  long sendable(byte[] state, int rank, int step, int route) {
    SumLayout layout = layout(step);
    long addedUpTo = state[(layout.isTotal(route) ? totalled : added) + rank] - use(step);
    return layout.sendable(hosts().hostOf(rank), layout.block(route), addedUpTo);
  }

  @Override
  long receivable(byte[] state, int rank, int step, int route) {
    return layout(step).chunks(route);
  }

  @Override
  void checkSent(byte[] state, int sender, int step, int route, int chunk) {
    SumLayout layout = layout(step);
    int block = layout.block(route);
    long piece = layout.pieceOfChunk(block, chunk);
    long use = use(step) + layout.piecePosition(hosts().hostOf(sender), block, piece);
    check(state, sender, sender, block, use, layout.isTotal(route) ? total(use) : sum(use));
  }

  @Override
  void receive(byte[] state, int receiver, int step, int route, int chunk) {
    state[received(receiver, step, route, chunk)] = (byte) (step + 1);
    publish(state, hosts().hostOf(receiver), route, base(step, route) + chunk + 1);
  }

  private int received(int rank, int step, int route, long chunk) {
    int room = hosts().hostOf(rank) * ROOMS + step % ROOMS;
    return sums + (room * layout(0).routes() + route) * mostChunks + (int) chunk;
  }

  @Override
  boolean passSent(byte[] state, int rank, int step, Transfers.Streams sends, int[] sent) {
    SumLayout layout = layout(step);
    long position = layout.tiles();
    for (int i = 0; i < sends.count() && flaw != Flaw.REUSE_BEFORE_SENT; i++) {
      position =
          Math.min(position, layout.unsentPosition(sends.route(i), finished(state, sent, i)));
    }
    return pass(state, ranks + rank, step, position);
  }

  private void passRead(byte[] state, int rank) {
    int step = stepOf(state, rank);
    long position = tiles(state, rank).doneUpTo(layout(step), Stage.ADD_ALL);
    pass(state, rank, step, position);
  }

  // Counters and slots.

  /** How many tiles there were in all steps before one. */
  private long use(int step) {
    long sum = 0;
    for (int before = 0; before < step; before++) {
      sum += layout(before).tiles();
    }
    return sum;
  }

  private boolean pass(byte[] state, int reader, int step, long position) {
    int at = passed + reader;
    long to = use(step) + position;
    if (state[at] < use(step) || state[at] >= to) {
      return false;
    }
    state[at] = (byte) to;
    return true;
  }

  private long slowest(byte[] state, int host) {
    long slowest = Long.MAX_VALUE;
    for (int i = 0; i < hosts().size(host); i++) {
      int rank = hosts().member(host, i);
      slowest = Math.min(slowest, state[passed + rank]);
      slowest = Math.min(slowest, state[passed + ranks + rank]);
    }
    return slowest;
  }

  /** What a slot holds when partial sums of a use are in it. */
  private static int part(long use) {
    return (int) (3 * use + 1);
  }

  /** What a slot holds when the sum over a host of a use is in it. */
  private static int sum(long use) {
    return (int) (3 * use + 2);
  }

  /** What a slot holds when the total of a use is in it. */
  private static int total(long use) {
    return (int) (3 * use + 3);
  }

  private int partAt(int rank, long use, int block) {
    return parts + (rank * slots + Slots.slot(use, slots)) * ranks + block;
  }

  private void write(byte[] state, int rank, Job job, int value) {
    for (int block = 0; block < ranks; block++) {
      if (job.block < 0 || job.block == block) {
        state[partAt(rank, job.use, block)] = (byte) value;
      }
    }
  }

  /** Looks at the partial sums of all ranks of a host. */
  private void checkParts(byte[] state, int rank, Job job) {
    check(state, rank, rank, job.block, job.use, part(job.use));
    checkOtherParts(state, rank, job);
  }

  private void checkOtherParts(byte[] state, int rank, Job job) {
    int host = hosts().hostOf(rank);
    for (int i = 0; i < hosts().size(host); i++) {
      int other = hosts().member(host, i);
      if (other != rank) {
        check(state, rank, other, job.block, job.use, part(job.use));
      }
    }
  }

  /** Looks at all that a rank's own output is made of. */
  private void checkAll(byte[] state, int rank, Job job) {
    SumLayout layout = layout(job.step);
    int host = hosts().hostOf(rank);
    if (layout.isStaged()) {
      if (layout.home(job.block) == host) {
        check(state, rank, job.block, job.block, job.use, total(job.use));
      }
    } else if (layout.leaves(host, job.block)) {
      check(state, rank, layout.owner(host, job.block), job.block, job.use, sum(job.use));
    } else {
      checkParts(state, rank, job);
    }
    checkReceived(state, rank, job, Stage.ADD_ALL);
  }

  /** Looks at what other hosts have sent for a piece. */
  private void checkReceived(byte[] state, int rank, Job job, Stage stage) {
    SumLayout layout = layout(job.step);
    for (int other = 0; other < hosts().count(); other++) {
      int route = layout.route(other, job.block);
      long from = layout.chunksBefore(job.block, job.piece);
      long to = layout.chunksBefore(job.block, job.piece + 1);
      boolean isNeeded = tiles[rank].needs(layout, stage, job.block, other);
      for (long chunk = from; isNeeded && chunk < to; chunk++) {
        int held = state[received(rank, job.step, route, chunk)] - 1;
        if (held != job.step) {
          throw new Violation(
              "rank %d reads chunk %d of route %d in step %d, but there is %s"
                  .formatted(rank, chunk, route, job.step, held < 0 ? "nothing" : "step " + held));
        }
      }
    }
  }

  /** What a rank reads must be what it wants to read. */
  private void check(byte[] state, int reader, int rank, int block, long use, int wanted) {
    int held = state[partAt(rank, use, block)];
    if (held != wanted) {
      throw new Violation(
          "rank %d reads %s of rank %d, block %d, but the slot holds %s"
              .formatted(reader, describe(wanted), rank, block, describe(held)));
    }
  }

  private static String describe(int held) {
    if (held == 0) {
      return "nothing";
    }
    List<String> names = List.of("partial sums", "the sum", "the total");
    return "%s of use %d".formatted(names.get((held - 1) % 3), (held - 1) / 3);
  }
}
