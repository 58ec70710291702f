// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.tuning.Domains;
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
  void everyPartReachesEveryDomainOverATree() {
    for (int domains = 1; domains <= 40; domains++) {
      int parts = schedule().parts(domains);
      assertTrue(parts >= 1 && parts <= Schedule.MAX_PARTS);
      for (int part = 0; part < parts; part++) {
        for (int distance = 1; distance < domains; distance++) {
          int at = distance;
          int hops = 0;
          while (at != 0) {
            at = schedule().parent(part, at, domains);
            assertTrue(at >= 0 && at < domains, "domain " + at + " of " + domains);
            assertTrue(++hops < domains, "a loop");
          }
        }
      }
    }
  }

  /** Each domain receives each row of other domains once, and every send has its receive. */
  @Test
  void everyRowEntersEveryOtherDomainOnce() {
    Draw draw = new Draw(11);
    for (int i = 0; i < 300; i++) {
      int ranks = draw.ranks();
      Domains domains = Domains.of(draw.hosts(ranks));
      Tuning tuning = draw.tuning(9).withSchedule(schedule());
      GatherLayout step = Plans.alongRows(10, 1000, domains, tuning).step();
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
          assertTrue(entered.add(domains.domainOf(rank) + ": " + route), "it enters twice");
          assertTrue(
              domains.domainOf(step.shard(route)) != domains.domainOf(rank),
              "it was there already");
        }
      }
      assertEquals(sends, receives);
      assertTrue(sends.values().stream().allMatch(n -> n == 1));
      assertEquals(expectedEntries(step, domains), entered);
    }
  }

  private static Set<String> expectedEntries(GatherLayout step, Domains domains) {
    Set<String> expected = new HashSet<>();
    for (int domain = 0; domain < domains.count(); domain++) {
      for (int route = 0; route < step.routes(); route++) {
        if (domains.domainOf(step.shard(route)) != domain && step.chunks(route) > 0) {
          expected.add(domain + ": " + route);
        }
      }
    }
    return expected;
  }
}
