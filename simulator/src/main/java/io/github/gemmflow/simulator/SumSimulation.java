// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;
import java.util.EnumMap;
import java.util.Map;

/** A summing step in virtual time: its ranks choose tiles and pieces as real ones do. */
class SumSimulation extends StepSimulation {
  private final SumLayout layout;
  private final SumCosts work;
  private final NextTile[] next;
  private final Progress[] progress;

  /** Of each stage, the position up to which each rank has come. */
  private final Map<Stage, long[]> doneUpTo = new EnumMap<>(Stage.class);

  SumSimulation(
      SumLayout layout, SumCosts work, Conditions conditions, Network network, boolean recorded) {
    super(layout, layout.plan().hosts(), conditions, network, recorded);
    this.layout = layout;
    this.work = work;
    int ranks = hosts().ranks();
    this.next = new NextTile[ranks];
    this.progress = new Progress[ranks];
    for (Stage stage : Stage.values()) {
      doneUpTo.put(stage, new long[ranks]);
    }
    for (int rank = 0; rank < ranks; rank++) {
      next[rank] = new NextTile(rank, hosts());
      next[rank].reset(layout);
      progress[rank] = new Progress(hosts().hostOf(rank));
      for (Stage stage : Stage.values()) {
        note(rank, stage);
      }
    }
  }

  private void note(int rank, Stage stage) {
    upTo(stage)[rank] = next[rank].doneUpTo(layout, stage);
  }

  private long[] upTo(Stage stage) {
    return doneUpTo.getOrDefault(stage, new long[0]);
  }

  /** The progress of a step on a host, as its ranks see it. */
  private final class Progress implements NextTile.Progress {
    private final int host;

    Progress(int host) {
      this.host = host;
    }

    @Override
    public boolean isFree(long position) {
      long slowest = Long.MAX_VALUE;
      for (int i = 0; i < hosts().size(host); i++) {
        int rank = hosts().member(host, i);
        slowest = Math.min(slowest, Math.min(upTo(Stage.ADD_ALL)[rank], unsent(rank)));
      }
      return position < Slots.filledUpTo(slowest, layout.plan().slots());
    }

    @Override
    public boolean isComputed(int rank, long position) {
      return position < upTo(Stage.COMPUTE)[rank];
    }

    @Override
    public boolean isAdded(int rank, long position) {
      return position < upTo(Stage.ADD_HOST)[rank];
    }

    @Override
    public boolean isTotalled(int rank, long position) {
      return position < upTo(Stage.ADD_TOTAL)[rank];
    }

    @Override
    public long arrived(int route) {
      return SumSimulation.this.arrived(host, route);
    }
  }

  /** The position of the first tile that a rank has yet to send something of. */
  private long unsent(int rank) {
    long position = layout.tiles();
    for (int i = 0; i < sends(rank).count(); i++) {
      long sent = sends(rank).finished(i);
      position = Math.min(position, layout.unsentPosition(sends(rank).route(i), sent));
    }
    return position;
  }

  @Override
  void fill(Transfers transfers) {
    transfers.fill(layout);
  }

  @Override
  long sendable(int rank, int route) {
    Stage stage = layout.isTotal(route) ? Stage.ADD_TOTAL : Stage.ADD_HOST;
    return layout.sendable(hosts().hostOf(rank), layout.block(route), upTo(stage)[rank]);
  }

  @Override
  long receivable(int host, int route) {
    return layout.chunks(route);
  }

  @Override
  void news(int rank, int route) {}

  @Override
  void sent(int rank, int stream) {
    wakeHost(rank);
  }

  private void wakeHost(int rank) {
    int host = hosts().hostOf(rank);
    for (int i = 0; i < hosts().size(host); i++) {
      wake(hosts().member(host, i));
    }
  }

  @Override
  void work(int rank) {
    NextTile mine = next[rank];
    Stage stage = mine.choose(layout, progress[rank]);
    if (stage == null) {
      if (mine.isOver(layout)) {
        rank(rank).finish();
      }
      return;
    }
    mine.begin(layout, stage, 1);
    mine.take(stage);
    long job = mine.job(stage);
    int block = mine.block(stage);
    long number = mine.number(stage);
    boolean computes = stage == Stage.COMPUTE;
    long first = computes ? layout.rangeTileBegin(block, number) : layout.pieceBegin(block, number);
    long end = computes ? layout.rangeTileBegin(block, number + 1) : layout.pieceEnd(block, number);
    long rows = end - first;
    double nanos = computes ? work.nanos(rank, rows) : addNanos(rank, stage, block, rows);
    rank(rank)
        .work(
            computes ? Span.Kind.WORK : Span.Kind.ADD,
            nanos,
            first,
            rows,
            () -> done(rank, stage, job));
  }

  private void done(int rank, Stage stage, long job) {
    next[rank].finish(stage, job);
    note(rank, stage);
    if (stage == Stage.ADD_HOST || stage == Stage.ADD_TOTAL) {
      send(rank);
    }
    wakeHost(rank);
    work(rank);
  }

  /** Every partial sum is read, and the result is written. */
  private double addNanos(int rank, Stage stage, int block, long rows) {
    int host = hosts().hostOf(rank);
    int ranks = hosts().size(host);
    int others = hosts().count() - 1;
    int sources =
        switch (stage) {
          case COMPUTE -> 0;
          case ADD_HOST -> isThere(ranks) ? -1 : ranks;
          case ADD_TOTAL -> ranks + others;
          case ADD_ALL -> {
            if (layout.isStaged()) {
              yield 1;
            }
            yield others + (layout.leaves(host, block) ? 1 : ranks);
          }
        };
    long bytes = rows * layout.plan().problem().partialRowBytes();
    return (sources + 1) * bytes * costs().addNanosPerByte();
  }

  /** The sum over one rank that travels as it is was computed where it is sent from. */
  private boolean isThere(int ranks) {
    return ranks == 1
        && layout.plan().problem().wireRowBytes() == layout.plan().problem().partialRowBytes();
  }
}
