// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.kit.ScheduleContract;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.Transfers;
import org.junit.jupiter.api.Test;

class MeshTest extends ScheduleContract {
  @Override
  protected Schedule schedule() {
    return Schedule.MESH;
  }

  /** Every rank starts with another target, so nobody is everybody's first. */
  @Test
  void theNextHostComesFirst() {
    GatherLayout step = Plans.alongRows(4, 100, Hosts.of(0, 1, 2, 3), Tuning.DEFAULT).step();
    step.lay(new long[] {1, 1, 1, 1});
    for (int rank = 0; rank < 4; rank++) {
      Transfers transfers = new Transfers(rank);
      transfers.fill(step);
      for (int i = 0; i < 3; i++) {
        assertEquals((rank + 1 + i) % 4, transfers.sends().peer(i));
      }
    }
  }
}
