// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * What is decided for a summing operator before its first step. Every rank computes its partial
 * sums tile by tile; the ranks of a host add them up in shared memory, and each tile leaves its
 * host once, straight to where it is wanted: as few bytes as any schedule sends, without detours.
 * Immutable; {@link #step} lays out a step once its row counts are known.
 */
public final class SumPlan {
  /** A tile of this many bytes is large enough for the kernel and small enough to leave early. */
  private static final long TILE_BYTES = 4 << 20;

  /** Fewer rows, and the kernel reads all weights for too little work. */
  private static final long LEAST_TILE_ROWS = 64;

  /** More rows make the kernel hardly faster (0.84 of its full speed with 512 rows, measured). */
  private static final long MOST_TILE_ROWS = 512;

  /** A rank's partial sums take no more shared memory than this, if tiles can wait for room. */
  private static final long MOST_SLOT_BYTES = 256 << 20;

  private final SumProblem problem;
  private final Domains domains;
  private final Tuning tuning;
  private final long chunkRows;
  private final long tileRows;
  private final Rules.Choice<Integer> slots;
  private final Overlap overlap;

  private SumPlan(SumProblem problem, Domains domains, Tuning tuning) {
    this.problem = problem;
    this.domains = domains;
    this.tuning = tuning;
    long maxRows = Math.max(1, problem.maxRows());
    this.chunkRows = tuning.chunking().rowsFor(maxRows, problem.wireRowBytes());
    this.tileRows = Math.min(maxRows, tileRows(problem, tuning.chunking(), chunkRows));
    this.slots = slots(maxRows);
    this.overlap = tuning.overlap() == null ? Overlap.PIPELINED : tuning.overlap();
    if (overlap == Overlap.SEQUENTIAL && slots() < mostTiles(maxRows)) {
      throw new IllegalArgumentException(
          "all partial sums cannot be there before the first is added: there is room for %d of %d tiles (%s); choose the overlap pipelined"
              .formatted(slots(), mostTiles(maxRows), slots.reason()));
    }
  }

  public static SumPlan of(SumProblem problem, Domains domains, Tuning tuning) {
    return new SumPlan(problem, domains, tuning);
  }

  private static long tileRows(SumProblem problem, Chunking chunking, long chunkRows) {
    if (chunking.rows() > 0) {
      return chunkRows;
    }
    long rowBytes = Math.max(1, problem.columns() * SumProblem.PARTIAL_BYTES);
    long wanted = Math.clamp(TILE_BYTES / rowBytes, LEAST_TILE_ROWS, MOST_TILE_ROWS);
    // Whole chunks, where a tile has several.
    return Math.ceilDiv(wanted, chunkRows) * chunkRows;
  }

  /** The most tiles that a step can have: the last one of each run of ranks may be cut short. */
  private long mostTiles(long maxRows) {
    return Math.min(maxRows, maxRows / tileRows + domains.ranks());
  }

  private Rules.Choice<Integer> slots(long maxRows) {
    long whole = mostTiles(maxRows);
    if (tuning.path() == Path.STREAMED) {
      return new Rules.Choice<>((int) Math.min(whole, tuning.slots()), "the path is streamed");
    }
    long fitting = MOST_SLOT_BYTES / Math.max(1, tileBytes());
    return whole <= Math.max(2, fitting)
        ? new Rules.Choice<>((int) whole, "room for the largest step")
        : new Rules.Choice<>(
            (int) Math.max(2, fitting), "no more than %d bytes".formatted(MOST_SLOT_BYTES));
  }

  public SumProblem problem() {
    return problem;
  }

  public Domains domains() {
    return domains;
  }

  public Tuning tuning() {
    return tuning;
  }

  /** The rows of a chunk, which travel together. */
  long chunkRows() {
    return chunkRows;
  }

  /** The rows of a tile, which are computed together. */
  public long tileRows() {
    return tileRows;
  }

  /** Bytes of a rank's partial sums of a tile. */
  public long tileBytes() {
    return Math.multiplyExact(
        tileRows, Math.multiplyExact(problem.columns(), (long) SumProblem.PARTIAL_BYTES));
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

  /** What was decided, in a few lines for a person. */
  @Override
  public String toString() {
    return "sum up to %d rows of %d columns over %s, %s, %d bytes per element between hosts\n"
            .formatted(
                problem.maxRows(),
                problem.columns(),
                domains,
                problem.scattered() ? "each rank its rows" : "all rows for all ranks",
                problem.wireBytes())
        + "tiles of %d rows, room for %d, chunks of %d rows, %d in flight per route, overlap %s\n"
            .formatted(tileRows, slots(), chunkRows, tuning.inFlight(), overlap);
  }

  /** What was decided and why, in a few lines for a person. */
  public String explain() {
    return this
        + """
          schedule: each tile leaves its host once, already summed over its ranks, straight to where it is wanted
          tiles: %s
          room: %s
          chunks: %s
          overlap: %s
          """
            .formatted(
                tuning.chunking().rows() > 0
                    ? "asked for"
                    : "about %d bytes, but %d to %d rows"
                        .formatted(TILE_BYTES, LEAST_TILE_ROWS, MOST_TILE_ROWS),
                slots.reason(),
                tuning.chunking().reason(),
                tuning.overlap() == null
                    ? "tiles leave as soon as they are complete"
                    : "asked for");
  }
}
