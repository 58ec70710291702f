// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.kit.ScheduleContract;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.Transfers;
import org.junit.jupiter.api.Test;

class RingTest extends ScheduleContract {
  @Override
  protected Schedule schedule() {
    return Schedule.RING;
  }

  /** A rank sends its own rows first, then forwards those that have come the shortest way. */
  @Test
  void fewestHopsLeaveFirst() {
    Tuning ring = Tuning.DEFAULT.withSchedule(Schedule.RING);
    GatherLayout step = Plans.alongRows(4, 100, Hosts.of(0, 1, 2, 3), ring).step();
    step.lay(new long[] {1, 1, 1, 1});
    Transfers transfers = new Transfers(2);
    transfers.fill(step);
    assertEquals(3, transfers.sends().count());
    assertEquals(2, transfers.sends().route(0));
    assertEquals(1, transfers.sends().route(1));
    assertEquals(0, transfers.sends().route(2));
    assertEquals("rank 0 -> rank 1 -> rank 2", step.way(2, 0));
  }
}
