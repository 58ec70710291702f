// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Cases;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.SumPath;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is said about hosts is the sum of what their ranks send and receive. */
class HostTrafficTest {
  private static final int MAX_ROWS = 300;

  private long bytes;

  @Test
  void gatheredRows() {
    int cases =
        Cases.run(
            getClass(),
            1000,
            seed -> {
              Draw draw = new Draw(seed);
              int ranks = draw.ranks();
              Hosts hosts = Hosts.of(draw.hosts(ranks));
              GatherLayout step =
                  Plans.alongRows(20, MAX_ROWS, hosts, draw.tuning(MAX_ROWS)).step();
              step.lay(draw.rows(ranks, MAX_ROWS));
              compare(step, hosts, HostTraffic.of(step), transfers -> transfers.fill(step));
            });
    assertTrue(bytes > cases, "hardly any traffic");
  }

  @Test
  void sums() {
    int cases =
        Cases.run(
            getClass(),
            2000,
            seed -> {
              Draw draw = new Draw(seed);
              int ranks = draw.ranks();
              Hosts hosts = Hosts.of(draw.hosts(ranks));
              boolean scattered = draw.chance(0.4);
              Tuning tuning =
                  Tuning.DEFAULT
                      .withChunkRows(1 + draw.below(60))
                      .withSums(draw.oneOf(List.of(SumPath.values())));
              SumProblem problem = new SumProblem(10, 20, scattered, MAX_ROWS);
              SumLayout step = SumPlan.of(problem, hosts, tuning).step();
              long[] rows = draw.rows(ranks, MAX_ROWS);
              if (!scattered) {
                Arrays.fill(rows, draw.below(MAX_ROWS));
              }
              step.lay(rows);
              compare(step, hosts, HostTraffic.of(step), transfers -> transfers.fill(step));
            });
    assertTrue(bytes > cases, "hardly any traffic");
  }

  private void compare(Layout step, Hosts hosts, HostTraffic traffic, Consumer<Transfers> fill) {
    for (int host = 0; host < hosts.count(); host++) {
      long[] out = new long[2];
      long[] in = new long[2];
      for (int i = 0; i < hosts.size(host); i++) {
        Transfers transfers = new Transfers(hosts.member(host, i));
        fill.accept(transfers);
        add(step, transfers.sends(), out);
        add(step, transfers.receives(), in);
      }
      assertEquals(
          out[0] + " in " + out[1], traffic.bytesOut(host) + " in " + traffic.chunksOut(host));
      assertEquals(in[0] + " in " + in[1], traffic.bytesIn(host) + " in " + traffic.chunksIn(host));
      bytes += in[0];
    }
  }

  private static void add(Layout step, Transfers.Streams streams, long[] sum) {
    for (int i = 0; i < streams.count(); i++) {
      long chunks = step.chunks(streams.route(i));
      sum[0] += step.bytes(streams.route(i), 0, chunks);
      sum[1] += chunks;
    }
  }
}
