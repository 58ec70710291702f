// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Tuning;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every {@link Schedule} must do; an implementation extends this. */
public abstract class ScheduleContract {
  protected abstract Schedule schedule();

  @Test
  void itCanBeChosenByName() {
    assertSame(schedule(), Schedule.named(schedule().name()));
    assertTrue(Schedule.ALL.contains(schedule()));
  }

  @Test
  void everyPartReachesEveryHostOverATree() {
    for (int hosts = 1; hosts <= 40; hosts++) {
      int parts = schedule().parts(hosts);
      assertTrue(parts >= 1 && parts <= Schedule.MAX_PARTS);
      for (int part = 0; part < parts; part++) {
        for (int distance = 1; distance < hosts; distance++) {
          int at = distance;
          int hops = 0;
          while (at != 0) {
            at = schedule().parent(part, at, hosts);
            assertTrue(at >= 0 && at < hosts, "host " + at + " of " + hosts);
            assertTrue(++hops < hosts, "a loop");
          }
        }
      }
    }
  }

  /** Each host receives each row of other hosts once, and every send has its receive. */
  @Test
  void everyRowEntersEveryOtherHostOnce() {
    Draw draw = new Draw(11);
    for (int i = 0; i < 300; i++) {
      int ranks = draw.ranks();
      Hosts hosts = Hosts.of(draw.hosts(ranks));
      Tuning tuning = draw.tuning(9).withSchedule(schedule());
      GatherLayout step = Plans.alongRows(10, 1000, hosts, tuning).step();
      step.lay(draw.rows(ranks, 100));
      Map<String, Integer> sends = new HashMap<>();
      Map<String, Integer> receives = new HashMap<>();
      Set<String> entered = new HashSet<>();
      for (int rank = 0; rank < ranks; rank++) {
        Transfers transfers = new Transfers(rank);
        transfers.fill(step);
        for (int s = 0; s < transfers.sends().count(); s++) {
          String key =
              "%d->%d: %d".formatted(rank, transfers.sends().peer(s), transfers.sends().route(s));
          sends.merge(key, 1, Integer::sum);
        }
        for (int r = 0; r < transfers.receives().count(); r++) {
          int route = transfers.receives().route(r);
          receives.merge(
              "%d->%d: %d".formatted(transfers.receives().peer(r), rank, route), 1, Integer::sum);
          assertTrue(entered.add(hosts.hostOf(rank) + ": " + route), "it enters twice");
          assertTrue(hosts.hostOf(step.shard(route)) != hosts.hostOf(rank), "it was there already");
        }
      }
      assertEquals(sends, receives);
      assertTrue(sends.values().stream().allMatch(n -> n == 1));
      assertEquals(expectedEntries(step, hosts), entered);
    }
  }

  private static Set<String> expectedEntries(GatherLayout step, Hosts hosts) {
    Set<String> expected = new HashSet<>();
    for (int host = 0; host < hosts.count(); host++) {
      for (int route = 0; route < step.routes(); route++) {
        if (hosts.hostOf(step.shard(route)) != host && step.chunks(route) > 0) {
          expected.add(host + ": " + route);
        }
      }
    }
    return expected;
  }
}
