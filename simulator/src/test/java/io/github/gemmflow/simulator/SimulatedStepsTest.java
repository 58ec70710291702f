// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.GatherProblem;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.HostCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Steps of all kinds come to their end in virtual time, with the bytes that had to cross. */
class SimulatedStepsTest {
  private static final long ROW_BYTES = 4096;

  /** Work in proportion to rows; a call costs as much as 4 rows. */
  private static final RowCosts WORK =
      new RowCosts() {
        @Override
        public double nanos(int rank, long rows) {
          return 10_000.0 * (rows + 4);
        }

        @Override
        public long worthwhileRows() {
          return 8;
        }
      };

  private static GatherLayout gather(Hosts hosts, Tuning tuning, long... rows) {
    long all = LongStream.of(rows).sum();
    Capacity capacity = Capacity.of(all, ROW_BYTES, tuning);
    GatherLayout layout =
        GatherPlan.of(GatherProblem.alongRows(ROW_BYTES, capacity), hosts, tuning).step();
    layout.lay(rows);
    return layout;
  }

  @Test
  void gathersOfAllKindsEnd() {
    Cases.run(
        SimulatedStepsTest.class,
        2000,
        seed -> {
          Draw draw = new Draw(seed);
          int ranks = draw.ranks();
          Hosts hosts = Hosts.of(draw.hosts(ranks));
          long[] rows = draw.rows(ranks, 100);
          GatherLayout layout = gather(hosts, draw.tuning(100, draw.room(100)), rows);
          Conditions conditions = Conditions.of(CostModel.ASSUMED).withJitter(3, seed);
          SimulatedStep step = Simulator.gather(layout, WORK, conditions, true);
          long most = 0;
          for (int host = 0; host < hosts.count(); host++) {
            long here = 0;
            for (int i = 0; i < hosts.size(host); i++) {
              here += rows[hosts.member(host, i)];
            }
            most = Math.max(most, LongStream.of(rows).sum() - here);
          }
          assertEquals(most * ROW_BYTES, step.bytesIntoHost());
          for (List<Span> spans : step.spans()) {
            long worked =
                spans.stream()
                    .filter(span -> span.kind() == Span.Kind.WORK)
                    .mapToLong(Span::rows)
                    .sum();
            assertEquals(LongStream.of(rows).sum(), worked);
          }
          assertEquals(step, Simulator.gather(layout, WORK, conditions, true));
        });
  }

  @Test
  void sumsOfAllKindsEnd() {
    Cases.run(
        SimulatedStepsTest.class,
        2000,
        seed -> {
          Draw draw = new Draw(seed);
          int ranks = draw.ranks();
          Hosts hosts = Hosts.of(draw.hosts(ranks));
          boolean scattered = draw.chance(0.5);
          long[] rows = draw.rows(ranks, 100);
          if (!scattered) {
            Arrays.fill(rows, 1 + draw.below(100));
          }
          SumProblem problem =
              new SumProblem(1024, ROW_BYTES, scattered, Math.max(1, LongStream.of(rows).sum()));
          SumLayout layout = SumPlan.of(problem, hosts, draw.sumTuning(100)).step();
          layout.lay(rows);
          Conditions conditions = Conditions.of(CostModel.ASSUMED).withJitter(3, seed);
          SimulatedStep step =
              Simulator.sum(layout, (rank, count) -> 5_000.0 * count, conditions, false);
          assertTrue(step.nanos() >= step.workNanos());
          assertTrue(step.nanos() >= step.linkNanos());
          if (hosts.count() == 1) {
            assertEquals(0, step.bytesIntoHost());
          } else if (!scattered) {
            assertTrue(step.bytesIntoHost() > 0);
          }
        });
  }

  /** Two partial sums of a row are read, and their sum is written. */
  @Test
  void whatIsAddedTakesTime() {
    SumProblem problem = new SumProblem(1024, ROW_BYTES, false, 100);
    SumLayout layout = SumPlan.of(problem, Hosts.of(0, 0), Tuning.DEFAULT).step();
    layout.lay(new long[] {100, 100});
    assertEquals(3 * 100 * ROW_BYTES, nanosOfSum(layout, 2) - nanosOfSum(layout, 1), 1);
  }

  private static double nanosOfSum(SumLayout layout, double addNanosPerByte) {
    HostCosts host = new HostCosts(1e3, 1e3, 1e3, 1, addNanosPerByte);
    LinkCosts link = LinkCosts.of(5e3, 100e9);
    CostModel costs = new CostModel("", "", 1, 1, link, host, CostModel.ASSUMED.kernels());
    return Simulator.sum(layout, (rank, rows) -> 5_000.0 * rows, Conditions.of(costs), false)
        .nanos();
  }

  /** What takes longest decides, and is named. */
  @Test
  void theLimitIsNamed() {
    Hosts hosts = Hosts.of(0, 1);
    GatherLayout layout = gather(hosts, Tuning.DEFAULT, 2048, 2048);
    SimulatedStep slowLink = simulate(layout, LinkCosts.of(50e3, 100e6));
    assertEquals(SimulatedStep.Limit.LINK, slowLink.limit());
    assertEquals(2048 * ROW_BYTES * 8 / 100e6, slowLink.nanos() / 1e9, 0.01);
    SimulatedStep fastLink = simulate(layout, LinkCosts.of(5e3, 100e9));
    assertEquals(SimulatedStep.Limit.WORK, fastLink.limit());
    GatherLayout few = gather(hosts, Tuning.DEFAULT, 1, 1);
    assertEquals(SimulatedStep.Limit.LATENCY, simulate(few, LinkCosts.of(5e6, 100e9)).limit());
  }

  private static SimulatedStep simulate(GatherLayout layout, LinkCosts link) {
    CostModel costs = CostModel.ASSUMED.withLink(link);
    return Simulator.gather(layout, WORK, Conditions.of(costs), false);
  }

  /** A slow rank holds up nobody on the way, but is itself late by its slowness. */
  @Test
  void ranksMayDiffer() {
    GatherLayout layout = gather(Hosts.of(0, 1, 2), Tuning.DEFAULT, 500, 500, 500);
    Conditions even = Conditions.of(CostModel.ASSUMED.withLink(LinkCosts.of(5e3, 100e9)));
    double evenNanos = Simulator.gather(layout, WORK, even, false).nanos();
    Conditions uneven = even.withSlowness(List.of(1.0, 3.0, 1.0));
    double ratio = Simulator.gather(layout, WORK, uneven, false).nanos() / evenNanos;
    assertTrue(ratio > 2.4 && ratio < 3, () -> "times " + ratio);
  }
}
