// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.function.ToDoubleFunction;

/**
 * Times of gathers between hosts. What a byte costs is the difference between a long gather and a
 * shorter one, and what a message costs that between many short ones and few long ones.
 *
 * @param group of all ranks
 */
record LinkTimes(Group group, Stopwatch watch) {
  private static final int COLUMNS = 1024;
  private static final long ROW_BYTES = (long) COLUMNS * Float.BYTES;

  /** Bytes that come into each host: enough to see a rate, few enough for slow links. */
  private static final long SHORT = 1 << 20;

  private static final long LONG = 5 << 20;

  /**
   * A fast link carries more, until that takes as many nanoseconds: other things take some, too.
   */
  private static final double ENOUGH = 40e6;

  private static final long GROWTH = 4;
  private static final long MOST_FACTOR = 16;

  private static final int TIMES = 5;

  /** Rates are differences of times, and whatever else a machine does only adds to one of them. */
  private static final int RATE_TIMES = 9;

  private static final double RATE_QUANTILE = 0.25;

  private static final Tuning PLAIN =
      Tuning.DEFAULT
          .withSchedule(Schedule.MESH)
          .withStorage(Storage.GATHERED)
          .withChunkBytes(Chunking.SLOW_BYTES);

  /** What a link can do shows in large chunks: in small ones a fast link waits for the ranks. */
  private static final Tuning LARGE = PLAIN.withChunkBytes(Chunking.FAST_BYTES);

  /** Chunks of which there are enough to see what each costs. */
  private static final int SEVERAL = 8;

  /** Nanoseconds until all ranks have a row of each. */
  double shortestNanos() {
    long rows = group.size();
    return measure(rows, PLAIN, run -> watch.togetherNanos(run, 101, 0.5));
  }

  double nanosPerByte() {
    ToDoubleFunction<Runnable> nanos = run -> watch.togetherNanos(run, RATE_TIMES, RATE_QUANTILE);
    for (long factor = 1; ; factor *= GROWTH) {
      double brief = measure(rows(factor * SHORT), LARGE, nanos);
      double whole = measure(rows(factor * LONG), LARGE, nanos);
      double bytes =
          (double) (rows(factor * LONG) - rows(factor * SHORT)) * ROW_BYTES * shareFromOthers();
      if (whole > ENOUGH || factor >= MOST_FACTOR) {
        return Math.max(1e-6, (whole - brief) / bytes);
      }
    }
  }

  /** The communication thread's time for a message, and for each byte. */
  record Carrying(double messageNanos, double nanosPerByte) {}

  /**
   * Measures it.
   *
   * @param chunkBytes of the messages that steps will have
   */
  Carrying carrying(long chunkBytes) {
    long rows = rows(Math.max(SHORT, SEVERAL * chunkBytes));
    // A rank receives its part of what comes into its host, and sends its rows to all others.
    int ranks = group.hosts().size(group.hosts().hostOf(group.rank()));
    double bytes = rows * ROW_BYTES * shareFromOthers() * 2 / ranks;
    Tuning large = PLAIN.withChunkBytes(chunkBytes);
    double fewNanos = measure(rows, large, run -> watch.commNanos(run, TIMES));
    double manyNanos = measure(rows, PLAIN.withChunkRows(1), run -> watch.commNanos(run, TIMES));
    double few = bytes / chunkBytes;
    double many = bytes / ROW_BYTES;
    double message = Math.max(100, (manyNanos - fewNanos) / (many - few));
    return new Carrying(message, Math.max(0.01, (fewNanos - few * message) / bytes));
  }

  /** The share of all rows that comes into a host. */
  private double shareFromOthers() {
    int hosts = group.hosts().count();
    return (hosts - 1.0) / hosts;
  }

  private long rows(long bytesIntoHost) {
    return Math.round((double) bytesIntoHost / ROW_BYTES / shareFromOthers());
  }

  private double measure(long rows, Tuning tuning, ToDoubleFunction<Runnable> watched) {
    RowCounts counts = RowCounts.known(Shards.of(rows, group.size()).sizes());
    try (Workspace space = Workspace.on(group).rows(rows).columns(COLUMNS).tuning(tuning).open();
        AllGather gather = AllGather.on(space).columns(COLUMNS).build()) {
      return watched.applyAsDouble(
          () -> {
            try (Step step = gather.begin(counts)) {
              step.run();
            }
          });
    }
  }
}
