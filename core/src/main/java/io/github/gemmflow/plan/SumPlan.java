// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Explanation.Decision;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decisions for a summing operator before its first step. Every rank computes its partial sums tile
 * by tile; the ranks of a host add them up in shared memory, and each tile leaves its host once, on
 * a {@link SumPath}. Immutable; {@link #step} lays out a step once its row counts are known.
 */
public final class SumPlan {
  /** A rank's partial sums take no more shared memory than this, if tiles can wait for room. */
  private static final long MOST_SLOT_BYTES = 256 << 20;

  /** A small step has room to spare, so that it need not wait for slow readers of the last one. */
  private static final int SPARE_SLOTS = 2;

  private static final long SMALL_TILE_BYTES = 1 << 20;

  private static final long NEVER = Long.MAX_VALUE;

  private final SumProblem problem;
  private final Hosts hosts;
  private final Tuning tuning;
  private final Rules.Choice<Chunking> chunking;
  private final long chunkRows;
  private final Rules.Choice<Long> tileRows;
  private final Rules.Choice<Integer> slots;
  private final Rules.Choice<Long> stagedFrom;
  private final Overlap overlap;

  private SumPlan(SumProblem problem, Hosts hosts, Tuning tuning) {
    this.problem = problem;
    this.hosts = hosts;
    this.tuning = tuning;
    long maxRows = Math.max(1, problem.maxRows());
    TriedStep tried = tried();
    this.chunking = Rules.chunking(tuning, tried);
    this.chunkRows = ChunkRule.rows(chunking.value(), maxRows, problem.wireRowBytes());
    this.tileRows = chooseTileRows();
    this.slots = slots(maxRows);
    this.stagedFrom = stagedFrom(tried);
    this.overlap = tuning.overlap() == null ? Overlap.PIPELINED : tuning.overlap();
    if (overlap == Overlap.SEQUENTIAL && slots() < mostTiles(maxRows)) {
      throw new IllegalArgumentException(
          "the workspace cannot hold all partial sums before the first is added: it has room for %d of %d tiles (%s); choose overlap pipelined"
              .formatted(slots(), mostTiles(maxRows), slots.reason()));
    }
  }

  public static SumPlan of(SumProblem problem, Hosts hosts, Tuning tuning) {
    return new SumPlan(problem, hosts, tuning);
  }

  private Rules.Choice<Long> chooseTileRows() {
    return tuning.chunking().rows() > 0
        ? new Rules.Choice<>(chunkRows, "asked for")
        : TileRule.rows(problem, hosts, tuning.costs());
  }

  private @Nullable TriedStep tried() {
    String operation = problem.scattered() ? "reduce-scatter" : "all-reduce";
    return Rules.tried(operation, problem.wireRowBytes(), problem.maxRows(), hosts, tuning);
  }

  private Rules.Choice<Long> stagedFrom(@Nullable TriedStep tried) {
    int count = hosts.count();
    if (problem.scattered() || count == 1) {
      return new Rules.Choice<>(NEVER, "the only path");
    }
    if (tuning.sums() != null) {
      return new Rules.Choice<>(tuning.sums() == SumPath.STAGED ? 0 : NEVER, "asked for");
    }
    long direct = count * problem.wireRowBytes();
    long staged = problem.wireRowBytes() + problem.partialRowBytes();
    if (direct <= staged) {
      return new Rules.Choice<>(
          NEVER,
          "staged sums would not reduce the bytes that leave each of %d hosts".formatted(count));
    }
    long rows = firstFasterInStages();
    if (tried != null) {
      boolean isStaged = tried.best().name().equals(SumPath.STAGED.toString());
      // What was tried holds for half as many rows; of fewer only the prediction says anything.
      long from = Math.min(rows, problem.maxRows() / 2 + 1);
      return new Rules.Choice<>(isStaged ? from : NEVER, tried.reason());
    }
    return new Rules.Choice<>(
        rows,
        "with staged sums, %.0f %% of the bytes leave each of %d hosts; predicted for %d rows: direct %s, staged %s"
            .formatted(
                100.0 * staged / direct,
                count,
                problem.maxRows(),
                Rules.millis(directNanos(problem.maxRows())),
                Rules.millis(stagedNanos(problem.maxRows()))));
  }

  /** The fewest rows of which the sums are predicted to be there sooner in stages. */
  private long firstFasterInStages() {
    long from = 1;
    long to = Math.max(1, problem.maxRows());
    if (stagedNanos(to) >= directNanos(to)) {
      return NEVER;
    }
    while (from < to) {
      long middle = (from + to) >>> 1;
      if (stagedNanos(middle) < directNanos(middle)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return to;
  }

  private double directNanos(long rows) {
    return new TravelTime(hosts, tuning.costs())
        .directNanos((double) rows * problem.wireRowBytes(), chunkBytes());
  }

  private double stagedNanos(long rows) {
    return new TravelTime(hosts, tuning.costs())
        .stagedNanos(
            (double) rows * problem.wireRowBytes(),
            (double) rows * problem.partialRowBytes(),
            chunkBytes());
  }

  /** How many chunks of a route may be under way between two ranks. */
  int inFlight() {
    return ChunkRule.inFlight(tuning, chunkBytes());
  }

  private double chunkBytes() {
    return Math.max(1.0, chunkRows * (double) problem.wireRowBytes());
  }

  /** How the sums of a step travel. */
  SumPath path(long rows) {
    return rows >= stagedFrom.value() ? SumPath.STAGED : SumPath.DIRECT;
  }

  /** Whether a step can be staged. */
  public boolean mayBeStaged() {
    return stagedFrom.value() <= problem.maxRows();
  }

  /** How many ranks a tile that all want is dealt out to: to one if nobody adds up for others. */
  int stripes() {
    return hosts.count() == 1 ? 1 : hosts.ranks();
  }

  /** The most rows of a tile that one of several ranks sees to. */
  long mostPieceRows() {
    return Math.ceilDiv(tileRows(), stripes());
  }

  /** The most rows that a host receives from one other, totals not counted. */
  public long mostRowsFromEach(int host) {
    if (!mayBeStaged()) {
      return problem.maxRows();
    }
    long pieces = Math.multiplyExact(mostTiles(problem.maxRows()), hosts.size(host));
    long atHome = Math.multiplyExact(pieces, mostPieceRows());
    return Math.max(atHome, Math.min(problem.maxRows(), stagedFrom.value()));
  }

  /** The most totals that a host receives. */
  public long mostTotals() {
    return mayBeStaged() ? problem.maxRows() : 0;
  }

  /** The most tiles that a step can have: the last one of each range of rows may be cut short. */
  private long mostTiles(long maxRows) {
    return Math.min(maxRows, (maxRows + ranges() * (tileRows() - 1)) / tileRows());
  }

  /** How many ranges of rows for one host there are at most. */
  private int ranges() {
    int ranges = 1;
    for (int rank = 1; problem.scattered() && rank < hosts.ranks(); rank++) {
      ranges += hosts.hostOf(rank) == hosts.hostOf(rank - 1) ? 0 : 1;
    }
    return ranges;
  }

  private Rules.Choice<Integer> slots(long maxRows) {
    long whole = mostTiles(maxRows);
    if (tuning.storage() == Storage.STREAMED) {
      return new Rules.Choice<>((int) Math.min(whole, tuning.slots()), "the storage is streamed");
    }
    long wanted = whole + (tileBytes() <= SMALL_TILE_BYTES ? Math.min(whole, SPARE_SLOTS) : 0);
    long fitting = Math.max(2, MOST_SLOT_BYTES / Math.max(1, tileBytes()));
    return wanted <= fitting
        ? new Rules.Choice<>((int) wanted, "room for the largest step")
        : new Rules.Choice<>((int) fitting, "no more than %d bytes".formatted(MOST_SLOT_BYTES));
  }

  public SumProblem problem() {
    return problem;
  }

  public Hosts hosts() {
    return hosts;
  }

  public Tuning tuning() {
    return tuning;
  }

  /** How many routes there are: each host's sums of each rank's block. */
  public int routes() {
    return hosts.count() * hosts.ranks();
  }

  /** The rows of a chunk, which travel together. */
  long chunkRows() {
    return chunkRows;
  }

  /** The rows of a tile, which are computed together. */
  public long tileRows() {
    return tileRows.value();
  }

  /** Bytes of a rank's partial sums of a tile. */
  public long tileBytes() {
    return Math.multiplyExact(tileRows(), problem.partialRowBytes());
  }

  /** For how many tiles a rank has room. */
  public int slots() {
    return slots.value();
  }

  /** When tiles leave: as they are complete, or when all are. */
  public Overlap overlap() {
    return overlap;
  }

  /** A layout for one step after another; {@link Layout#lay} fills it in. */
  public SumLayout step() {
    return new SumLayout(this);
  }

  @Override
  public String toString() {
    return explain().brief();
  }

  private String describeProblem() {
    return "sum up to %d rows of %d columns over %s, %s, %d bytes per row between hosts"
        .formatted(
            problem.maxRows(),
            problem.columns(),
            hosts,
            problem.scattered() ? "each rank its rows" : "all rows for all ranks",
            problem.wireRowBytes());
  }

  /** What was decided and why. */
  public Explanation explain() {
    return new Explanation(
        describeProblem(),
        List.of(
            new Decision("path", describePath(), stagedFrom.reason()),
            new Decision("tiles", "of %d rows".formatted(tileRows()), tileRows.reason()),
            new Decision("room", "for %d tiles".formatted(slots()), slots.reason()),
            new Decision(
                "chunks",
                "of %d rows, %d in flight per route".formatted(chunkRows, inFlight()),
                chunking.reason()),
            new Decision(
                "overlap",
                overlap.toString(),
                tuning.overlap() == null
                    ? "tiles leave as soon as they are complete"
                    : "asked for")));
  }

  private String describePath() {
    String direct =
        "each tile leaves its host once, already summed over its ranks, directly to the host that needs it";
    if (!mayBeStaged()) {
      return direct;
    }
    String staged =
        "each host adds up some of the rows for all, and sends the sums to the other hosts";
    return stagedFrom.value() == 0
        ? staged
        : "from %d rows on %s; below, %s".formatted(stagedFrom.value(), staged, direct);
  }
}
