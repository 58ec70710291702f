// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.kit.ScheduleContract;
import io.github.gemmflow.plan.GatherLayout;
import org.junit.jupiter.api.Test;

class TwoWayRingTest extends ScheduleContract {
  @Override
  protected Schedule schedule() {
    return Schedule.TWO_WAY_RING;
  }

  @Test
  void theFarthestOfAnEvenNumberGetsHalfFromEachSide() {
    Tuning tuning = Tuning.DEFAULT.withSchedule(schedule());
    GatherLayout step = Plans.alongRows(4, 100, Hosts.of(0, 1, 2, 3), tuning).step();
    step.lay(new long[] {9, 0, 0, 0});
    assertEquals("rank 0 -> rank 1", step.way(1, 0));
    assertEquals("rank 0 -> rank 1 -> rank 2", step.way(2, 0));
    assertEquals("rank 0 -> rank 3 -> rank 2", step.way(2, 4));
    assertEquals("rank 0 -> rank 3", step.way(3, 4));
    assertEquals(4, step.end(0));
    assertEquals(4, step.begin(4));
    assertEquals(9, step.end(4));
  }

  /** No row makes more than half of the hops of a one-way ring. */
  @Test
  void theWayIsHalfAsLong() {
    for (int hosts = 1; hosts <= 40; hosts++) {
      for (int part = 0; part < schedule().parts(hosts); part++) {
        for (int distance = 1; distance < hosts; distance++) {
          int hops = 0;
          for (int at = distance; at != 0; at = schedule().parent(part, at, hosts)) {
            hops++;
          }
          assertEquals(Math.min(distance, hosts - distance), hops);
          assertTrue(hops <= hosts / 2);
        }
      }
    }
  }
}
