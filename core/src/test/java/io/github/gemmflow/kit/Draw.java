// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.util.List;
import java.util.SplittableRandom;

/** Random choices of what tests vary. The same seed draws the same. */
public final class Draw {
  private static final List<Integer> SIZES =
      List.of(0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 37, 64, 65, 100);

  private final SplittableRandom random;

  public Draw(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** A number from 0 to {@code bound - 1}. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  public boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  public <T> T oneOf(List<T> values) {
    return values.get(below(values.size()));
  }

  public DType type() {
    return oneOf(DType.REALS);
  }

  /** A size of a matrix: small, odd, prime, and now and then 0. */
  public int size() {
    int size = oneOf(SIZES);
    return size == 0 && chance(0.7) ? 1 : size;
  }

  /** Ranks of a world: 1 to 8, now and then 16. */
  public int ranks() {
    return chance(0.04) ? 16 : 1 + below(8);
  }

  /** Hosts of ranks: 1 to 4, with uneven numbers of ranks, in any order. */
  public int[] hosts(int ranks) {
    int count = 1 + below(Math.min(4, ranks));
    int[] hostOf = new int[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      hostOf[rank] = below(count);
    }
    return hostOf;
  }

  /** Rows for each rank: even, uneven, or all with one rank; some have none. */
  public long[] rows(int ranks, long most) {
    long[] rows = new long[ranks];
    if (chance(0.1)) {
      rows[below(ranks)] = most;
      return rows;
    }
    long each = most / ranks;
    boolean even = chance(0.2);
    for (int rank = 0; rank < ranks; rank++) {
      rows[rank] = even ? each : chance(0.25) ? 0 : below((int) each + 1);
    }
    return rows;
  }

  /** Columns for each rank, in all {@code columns}; some have none. */
  public long[] columns(int ranks, long columns) {
    long[] widths = new long[ranks];
    for (long column = 0; column < columns; column++) {
      widths[below(1 + below(ranks))]++;
    }
    return widths;
  }

  /** What a workspace has room for: gathered steps, or streamed ones in few slots. */
  public Tuning room(long mostRows) {
    Tuning tuning = tuning(mostRows).withSlots(1 + below(5));
    if (chance(0.4)) {
      return tuning.withStorage(Storage.STREAMED);
    }
    return chance(0.3) ? tuning.withStorage(Storage.GATHERED) : tuning;
  }

  /** A way for rows to travel, on a workspace with some room. */
  public Tuning tuning(long mostRows, Tuning room) {
    Tuning tuning = tuning(mostRows).withStorage(room.storage());
    return tuning.storage() == Storage.GATHERED && chance(0.2)
        ? tuning.withOverlap(Overlap.SEQUENTIAL)
        : tuning;
  }

  /** A way for sums to come together: with much room, or so little that tiles wait. */
  public Tuning sumTuning(long mostRows) {
    SumPath path = chance(0.3) ? null : oneOf(List.of(SumPath.values()));
    Tuning tuning = tuning(mostRows).withSlots(1 + below(5)).withSums(path);
    if (chance(0.5)) {
      return tuning.withStorage(Storage.STREAMED);
    }
    return chance(0.2) ? tuning.withOverlap(Overlap.SEQUENTIAL) : tuning;
  }

  /** A way for rows to travel. */
  public Tuning tuning(long mostRows) {
    long chunkRows = chance(0.3) ? 0 : 1 + below((int) mostRows + 1);
    if (chance(0.3)) {
      chunkRows = chance(0.8) ? 1 : Long.MAX_VALUE;
    }
    Tuning start =
        chunkRows == 0 && chance(0.5)
            ? Tuning.DEFAULT.withChunkBytes(1 + below(4096))
            : Tuning.DEFAULT.withChunkRows(chunkRows);
    return start.withSchedule(chance(0.1) ? null : oneOf(Schedule.ALL)).withInFlight(1 + below(5));
  }
}
