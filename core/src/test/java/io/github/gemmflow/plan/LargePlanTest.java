// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.plan.NextRun.Soon;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plans and the decisions of a step carry more ranks than a group ever will, for a simulator to
 * look at: none takes a rank more than 2 s or 50 MB.
 */
class LargePlanTest {
  private static final int RANKS = 4096;
  private static final int DOMAINS = 512;
  private static final int RANK = RANKS / 2;
  private static final long CHUNK_ROWS = 200;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long bytes = THREADS.getCurrentThreadAllocatedBytes();
  private long nanos = THREADS.getCurrentThreadCpuTime();

  static Iterable<Schedule> schedules() {
    return Schedule.ALL;
  }

  private static Hosts hosts() {
    return Hosts.of(IntStream.range(0, RANKS).map(r -> r / (RANKS / DOMAINS)).toArray());
  }

  /** Ends what began with the one before. */
  private void check(String what) {
    double seconds = (THREADS.getCurrentThreadCpuTime() - nanos) / 1e9;
    double megabytes = (THREADS.getCurrentThreadAllocatedBytes() - bytes) / 1e6;
    System.out.printf("LargePlanTest: %s: %.3f s, %.1f MB%n", what, seconds, megabytes);
    assertTrue(seconds < 2, () -> what + ": " + seconds + " s");
    assertTrue(megabytes < 50, () -> what + ": " + megabytes + " MB");
    bytes = THREADS.getCurrentThreadAllocatedBytes();
    nanos = THREADS.getCurrentThreadCpuTime();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void gatheredRows(Schedule schedule) {
    String name = schedule + ", gathered";
    GatherLayout step = gather(schedule, Storage.GATHERED, name);
    assertEquals(step.bands(), decideOneByOne(step, 1), "each band is a run");
    check(name + ", each run as it arrives");
    assertEquals(1, decideOneByOne(step, Long.MAX_VALUE), "all rows are one run");
    check(name + ", one run of all");
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void streamedRows(Schedule schedule) {
    String name = schedule + ", streamed";
    GatherLayout step = gather(schedule, Storage.STREAMED, name);
    assertEquals(step.bands(), decideOneByOne(step, 1), "each chunk is a run");
    check(name + ", each chunk as it arrives");
    NextRun runs = new NextRun(RANK, step.bands());
    runs.reset(step);
    for (int band = 0; band < step.bands(); band++) {
      runs.ready(band, step.bandEnd(band));
    }
    int count = 0;
    while (runs.choose(step, 1, Soon.NOTHING)) {
      count++;
    }
    assertEquals(step.bands(), count, "each chunk is a run");
    check(name + ", all chunks at once");
  }

  /** One chunk in each route, or two parts of one chunk each. */
  private GatherLayout gather(Schedule schedule, Storage storage, String name) {
    Tuning tuning =
        Tuning.DEFAULT.withSchedule(schedule).withStorage(storage).withChunkRows(CHUNK_ROWS);
    GatherLayout step = Plans.alongRows(8192, RANKS * CHUNK_ROWS, hosts(), tuning).step();
    step.lay(IntStream.range(0, RANKS).mapToLong(r -> 2 + r % (CHUNK_ROWS - 1)).toArray());
    check(name + ", plan and layout");
    Transfers transfers = new Transfers(RANK);
    transfers.fill(step);
    assertTrue(transfers.sends().count() >= DOMAINS - 1, "too few transfers");
    start(transfers.sends());
    start(transfers.receives());
    check(name + ", transfers");
    return step;
  }

  /** Starts a chunk of every stream. */
  private static void start(Transfers.Streams streams) {
    int count = streams.count();
    long[] available = new long[count];
    Arrays.fill(available, 1);
    long[] started = new long[count];
    long[] finished = new long[count];
    int at = NextTransfer.choose(0, count, available, started, finished, 1);
    while (at != NextTransfer.NONE) {
      started[at]++;
      at = NextTransfer.choose(at, count, available, started, finished, 1);
    }
    assertTrue(Arrays.equals(available, started), "a stream was left out");
  }

  /** Bands become ready one after the other, in any order; returns how many runs that made. */
  private static int decideOneByOne(GatherLayout step, long worthwhile) {
    List<Integer> bands =
        IntStream.range(0, step.bands()).boxed().collect(Collectors.toCollection(ArrayList::new));
    Collections.shuffle(bands, new Random(1));
    NextRun runs = new NextRun(RANK, step.bands());
    runs.reset(step);
    int count = 0;
    for (int band : bands) {
      runs.ready(band, step.bandEnd(band));
      while (runs.choose(step, worthwhile, Soon.NOTHING)) {
        count++;
      }
    }
    assertTrue(runs.allTaken(step), "rows are left");
    return count;
  }

  @Test
  void scatteredSums() {
    sum("sums, scattered", true, Tuning.DEFAULT, DOMAINS - 1);
  }

  @Test
  void stagedSums() {
    sum("sums, staged", false, Tuning.DEFAULT.withSums(SumPath.STAGED), DOMAINS - 1);
  }

  /** Each host sends all of its sums to all hosts. */
  @Test
  void directSums() {
    sum("sums, direct", false, Tuning.DEFAULT.withSums(SumPath.DIRECT), DOMAINS - 1);
  }

  /** Every tile has rows for every rank, so that nobody has nothing to send. */
  private void sum(String name, boolean scattered, Tuning tuning, int leastSends) {
    SumProblem problem = new SumProblem(4096, 8192, scattered, 16 * RANKS);
    SumLayout step = SumPlan.of(problem, hosts(), tuning.withChunkRows(RANKS)).step();
    long rows = scattered ? 16 : 2 * RANKS;
    step.lay(IntStream.range(0, RANKS).mapToLong(r -> rows).toArray());
    check(name + ", plan and layout");
    Transfers transfers = new Transfers(RANK);
    transfers.fill(step);
    assertTrue(transfers.sends().count() >= leastSends, "too few transfers");
    start(transfers.sends());
    start(transfers.receives());
    check(name + ", " + transfers.sends().count() + " transfers each way");
    NextTile next = new NextTile(RANK, hosts());
    next.reset(step);
    for (Stage stage = next.choose(step, ALL_THERE);
        stage != null;
        stage = next.choose(step, ALL_THERE)) {
      next.begin(step, stage, 1);
      next.take(stage);
      next.finish(stage, next.job(stage));
    }
    assertTrue(next.isOver(step), "tiles are left");
    check(name + ", decisions");
  }

  private static final NextTile.Progress ALL_THERE =
      new NextTile.Progress() {
        @Override
        public boolean isFree(long position) {
          return true;
        }

        @Override
        public boolean isComputed(int rank, long position) {
          return true;
        }

        @Override
        public boolean isAdded(int rank, long position) {
          return true;
        }

        @Override
        public boolean isTotalled(int rank, long position) {
          return true;
        }

        @Override
        public long arrived(int route) {
          return Long.MAX_VALUE;
        }
      };
}
