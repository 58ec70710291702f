// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Steps of many ranks, 8 on a host, with one chunk of each: of 1,024, or with {@code
 * -Dgemmflow.ranks=4096} of more than a group ever has.
 */
@Tag("full")
class LargeSimulationTest {
  private static final int RANKS = Integer.getInteger("gemmflow.ranks", 1024);
  private static final int HOSTS = RANKS / 8;
  private static final long ROWS = 4;
  private static final long ROW_BYTES = 8192;
  private static final double MOST_SECONDS = 60;

  static Iterable<Schedule> schedules() {
    return Schedule.ALL;
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void isSimulatedInAMinute(Schedule schedule) {
    Hosts hosts = Hosts.of(IntStream.range(0, RANKS).map(r -> r * HOSTS / RANKS).toArray());
    Tuning tuning = Tuning.DEFAULT.withSchedule(schedule);
    Capacity capacity = Capacity.of(RANKS * ROWS, ROW_BYTES, tuning);
    GatherLayout layout =
        GatherPlan.of(GatherProblem.alongRows(ROW_BYTES, capacity), hosts, tuning).step();
    long[] rows = new long[RANKS];
    Arrays.fill(rows, ROWS);
    layout.lay(rows);
    RowCosts work =
        new RowCosts() {
          @Override
          public double nanos(int rank, long count) {
            return 100_000 + 2_000.0 * count;
          }

          @Override
          public long worthwhileRows() {
            return 64;
          }
        };
    CostModel costs = CostModel.ASSUMED.withLink(LinkCosts.of(10e3, 100e9));
    long begin = System.nanoTime();
    SimulatedStep step = Simulator.gather(layout, work, Conditions.of(costs), false);
    double seconds = (System.nanoTime() - begin) / 1e9;
    Runtime runtime = Runtime.getRuntime();
    System.out.printf(
        "LargeSimulationTest: %s: %.1f s, %d MB, %d messages, a step takes %.1f ms, %s%n",
        schedule,
        seconds,
        (runtime.totalMemory() - runtime.freeMemory()) >> 20,
        step.messages(),
        step.nanos() / 1e6,
        step.limit());
    assertEquals((RANKS - RANKS / HOSTS) * ROWS * ROW_BYTES, step.bytesIntoHost());
    assertTrue(seconds < MOST_SECONDS, () -> seconds + " s");
  }
}
