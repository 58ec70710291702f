// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import org.jspecify.annotations.Nullable;

/**
 * Decision of a summing step: which tile a rank computes next, or which piece it adds up. Sums that
 * other hosts wait for come first, then results that this rank wants itself, then new partial sums.
 * All ranks of a host go through the tiles in the same order and add up what they can before they
 * compute more, so that tiles which wait for a slot never wait for each other.
 *
 * <p>Holds the state of one step on one rank; not thread-safe.
 */
public final class NextTile {
  /** Kinds of work, in the order in which they are preferred. */
  public enum Stage {
    /** Sums over the ranks of this host, piece by piece, for other hosts. */
    ADD_HOST,

    /** Totals, which are sums over all hosts, piece by piece, for all ranks of a staged step. */
    ADD_TOTAL,

    /** Results for this rank, piece by piece: from sums over hosts, or from totals. */
    ADD_ALL,

    /** Partial sums of this rank, tile by tile. */
    COMPUTE
  }

  /** Progress of a step, as far as a rank can see it. Positions are those of its host's order. */
  public interface Progress {
    /** Whether the slot of the tile at a position may be filled. */
    boolean isFree(long position);

    /** Whether a rank of this host has computed the tile at a position. */
    boolean isComputed(int rank, long position);

    /** Whether a rank of this host has added up its pieces of the tile at a position. */
    boolean isAdded(int rank, long position);

    /** Whether a rank of this host has the totals of its pieces of the tile at a position. */
    boolean isTotalled(int rank, long position);

    /** How many chunks of a route have arrived on this host. */
    long arrived(int route);
  }

  private static final Stage[] STAGES = Stage.values();

  private final Hosts hosts;
  private final int host;
  private final Queue addHost;
  private final Queue addTotal;
  private final Queue addAll;
  private final Queue compute;

  /** For one rank of a group. */
  public NextTile(int rank, Hosts hosts) {
    this.hosts = hosts;
    this.host = hosts.hostOf(rank);
    this.compute = new Queue(TileCursor.overTiles(host));
    this.addHost =
        new Queue(
            TileCursor.overPieces(
                host,
                (layout, block) ->
                    layout.leaves(host, block)
                        && layout.owner(host, block) == rank
                        && !isTotalledHere(layout, block)));
    this.addTotal =
        new Queue(
            TileCursor.overPieces(
                host, (layout, block) -> block == rank && isTotalledHere(layout, block)));
    this.addAll =
        new Queue(TileCursor.overPieces(host, (layout, block) -> layout.isWanted(rank, block)));
  }

  /** Tiles or pieces of one stage, in order: those that have begun, and the next. */
  private static final class Queue {
    private final TileCursor next;
    private final TileJobs jobs = new TileJobs();

    // What began last.
    private int block;
    private long number;

    Queue(TileCursor next) {
      this.next = next;
    }
  }

  private boolean isTotalledHere(SumLayout layout, int block) {
    return layout.isStaged() && layout.home(block) == host;
  }

  private Queue queue(Stage stage) {
    return switch (stage) {
      case ADD_HOST -> addHost;
      case ADD_TOTAL -> addTotal;
      case ADD_ALL -> addAll;
      case COMPUTE -> compute;
    };
  }

  /** Starts a step: nothing is done. */
  public void reset(SumLayout layout) {
    for (Stage stage : STAGES) {
      Queue queue = queue(stage);
      queue.next.reset(layout);
      queue.jobs.reset();
    }
  }

  /** The stage that can go on, by its last tile or by its next; null if nothing can. */
  public @Nullable Stage choose(SumLayout layout, Progress progress) {
    for (Stage stage : STAGES) {
      if (canGoOn(layout, stage, progress)) {
        return stage;
      }
    }
    return null;
  }

  /** Whether a stage has a task that nobody has taken, or may begin its next tile. */
  public boolean canGoOn(SumLayout layout, Stage stage, Progress progress) {
    if (stage != Stage.COMPUTE && !mayAdd(layout)) {
      return false;
    }
    return hasTask(stage)
        || (!isAtEnd(layout, stage)
            && !queue(stage).jobs.isFull()
            && isReady(layout, stage, progress));
  }

  /** Without overlap all is computed before anything leaves. */
  private boolean mayAdd(SumLayout layout) {
    return layout.plan().overlap() == Overlap.PIPELINED || isDone(layout, Stage.COMPUTE);
  }

  private boolean isReady(SumLayout layout, Stage stage, Progress progress) {
    TileCursor cursor = queue(stage).next;
    int at = cursor.block(layout);
    long position = cursor.position(layout);
    if (stage == Stage.COMPUTE) {
      return progress.isFree(position);
    }
    return isHostReady(layout, stage, at, position, progress)
        && haveOthersSent(layout, stage, at, cursor.number(), progress);
  }

  private boolean isHostReady(
      SumLayout layout, Stage stage, int block, long position, Progress progress) {
    int owner = layout.owner(host, block);
    if (stage == Stage.ADD_ALL && layout.isStaged()) {
      return !isTotalledHere(layout, block) || progress.isTotalled(owner, position);
    }
    if (stage == Stage.ADD_ALL && layout.leaves(host, block)) {
      return progress.isAdded(owner, position);
    }
    for (int i = 0; i < hosts.size(host); i++) {
      if (!progress.isComputed(hosts.member(host, i), position)) {
        return false;
      }
    }
    return true;
  }

  private boolean haveOthersSent(
      SumLayout layout, Stage stage, int block, long piece, Progress progress) {
    for (int other = 0; other < hosts.count(); other++) {
      if (needs(layout, stage, block, other) && !hasSent(layout, other, block, piece, progress)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a stage needs what another host sends for a block. */
  public boolean needs(SumLayout layout, Stage stage, int block, int other) {
    return switch (stage) {
      case COMPUTE, ADD_HOST -> false;
      case ADD_TOTAL -> other != host;
      case ADD_ALL -> other != host && (!layout.isStaged() || layout.home(block) == other);
    };
  }

  /** Whether a piece's sum over another host's ranks has arrived. */
  public static boolean hasSent(
      SumLayout layout, int other, int block, long piece, Progress progress) {
    return progress.arrived(layout.route(other, block)) >= layout.chunksBefore(block, piece + 1);
  }

  /**
   * Begins the next tile of a stage.
   *
   * @param tasks how many tasks it consists of
   * @return whether more of the stage is done than before, because there are none
   */
  public boolean begin(SumLayout layout, Stage stage, int tasks) {
    Queue queue = queue(stage);
    queue.block = queue.next.block(layout);
    queue.number = queue.next.number();
    queue.jobs.begin(queue.next.position(layout), tasks);
    queue.next.advance(layout);
    return tasks == 0 && queue.jobs.settle();
  }

  /** Whether the tile that began last has a task that nobody has taken. */
  public boolean hasTask(Stage stage) {
    return queue(stage).jobs.hasTask();
  }

  /** Takes a task of the tile that began last; returns its number in that tile. */
  public int take(Stage stage) {
    return queue(stage).jobs.take();
  }

  /** How many tasks the tile that began last has. */
  public int tasks(Stage stage) {
    return queue(stage).jobs.tasks();
  }

  /** The tile that began last, for {@link #finish}. */
  public long job(Stage stage) {
    return queue(stage).jobs.last();
  }

  /** The block of the tile that began last: of its piece, or the first of its range of rows. */
  public int block(Stage stage) {
    return queue(stage).block;
  }

  /** The number, in its block, of the tile that began last. */
  public long number(Stage stage) {
    return queue(stage).number;
  }

  /** The position of the tile that began last. */
  public long position(Stage stage) {
    return queue(stage).jobs.position(job(stage));
  }

  /** A task of a tile is done; returns whether more tiles are done than before. */
  public boolean finish(Stage stage, long job) {
    return queue(stage).jobs.finish(job);
  }

  /** The position of the first tile that is not done; after the last, how many there are. */
  public long doneUpTo(SumLayout layout, Stage stage) {
    Queue queue = queue(stage);
    return queue.jobs.isBusy() ? queue.jobs.firstUndone() : queue.next.position(layout);
  }

  /** Whether a stage is done. */
  public boolean isDone(SumLayout layout, Stage stage) {
    return isAtEnd(layout, stage) && !queue(stage).jobs.isBusy();
  }

  /** Whether all of the step is done. */
  public boolean isOver(SumLayout layout) {
    for (Stage stage : STAGES) {
      if (!isDone(layout, stage)) {
        return false;
      }
    }
    return true;
  }

  /** Whether every tile of a stage has begun. */
  public boolean isAtEnd(SumLayout layout, Stage stage) {
    return queue(stage).next.isAtEnd(layout);
  }

  /** The tile or piece that a stage begins next; it must not be at its end. */
  public TileCursor next(Stage stage) {
    return queue(stage).next;
  }
}
