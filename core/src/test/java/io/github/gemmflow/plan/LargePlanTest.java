// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Tuning;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plan carries more ranks than a group ever will, for a simulator to look at. */
class LargePlanTest {
  private static final int RANKS = 4096;
  private static final int DOMAINS = 512;

  static Iterable<Schedule> schedules() {
    return Schedule.ALL;
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void isLaidOutInASecond(Schedule schedule) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = threads.getCurrentThreadAllocatedBytes();
    long start = threads.getCurrentThreadCpuTime();
    Domains domains =
        Domains.of(IntStream.range(0, RANKS).map(r -> r / (RANKS / DOMAINS)).toArray());
    Tuning tuning = Tuning.DEFAULT.withSchedule(schedule);
    GatherLayout step = Plans.alongRows(8192, 1_000_000, domains, tuning).step();
    step.lay(IntStream.range(0, RANKS).mapToLong(r -> r % 200).toArray());
    double seconds = (threads.getCurrentThreadCpuTime() - start) / 1e9;
    bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
    System.out.printf("LargePlanTest: %s: %.2f s, %d MB%n", schedule, seconds, bytes >> 20);
    assertTrue(seconds < 1, () -> seconds + " s");
    assertTrue(bytes < 200 << 20, "too much memory");
    Transfers transfers = new Transfers(RANKS - 1);
    transfers.fill(step);
    assertEquals(step.rows(RANKS - 1) > 0, transfers.sends().count() > 0);
  }
}
