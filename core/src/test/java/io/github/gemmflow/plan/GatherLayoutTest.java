// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatherLayoutTest {
  @Test
  void chunksCoverEveryRowOnce() {
    Draw draw = new Draw(1);
    for (int i = 0; i < 1000; i++) {
      int ranks = draw.ranks();
      Hosts hosts = Hosts.of(draw.hosts(ranks));
      GatherLayout step = Plans.alongRows(100, 200, hosts, draw.tuning(50)).step();
      long[] rows = draw.rows(ranks, 200);
      step.lay(rows);
      long next = 0;
      for (int index = 0; index < step.routes(); index++) {
        int route = step.bandAt(index);
        assertEquals(next, step.begin(route));
        for (long chunk = 0; chunk < step.chunks(route); chunk++) {
          assertEquals(next, step.chunkBegin(route, chunk));
          assertTrue(step.chunkBegin(route, chunk + 1) > next, "a chunk without rows");
          next = step.chunkBegin(route, chunk + 1);
        }
        assertEquals(next, step.end(route));
      }
      assertEquals(next, step.totalRows());
    }
  }

  /** The next route goes to the rank with the fewest rows so far; between equals, to the lower. */
  @Test
  void ownersAreBalancedByRows() {
    Hosts hosts = Hosts.of(0, 0, 1, 1, 1, 1);
    GatherLayout step = Plans.alongRows(4, 100, hosts, Tuning.DEFAULT).step();
    step.lay(new long[] {1, 1, 50, 10, 10, 10});
    assertEquals(0, step.owner(0, 2));
    assertEquals(1, step.owner(0, 3));
    assertEquals(1, step.owner(0, 4));
    assertEquals(1, step.owner(0, 5));
    assertEquals(2, step.owner(1, 2), "at home a shard is its own rank's");
    assertEquals(2, step.owner(1, 0));
    assertEquals(3, step.owner(1, 1));
  }

  @Test
  void badRowCountsAreRefusedAndLeaveThePlanAsItWas() {
    GatherLayout step = Plans.alongRows(4, 10, Hosts.single(2), Tuning.DEFAULT).step();
    step.lay(new long[] {3, 4});
    for (long[] bad :
        new long[][] {{1}, {1, 2, 3}, {-1, 2}, {2, -1}, {6, 5}, {Long.MAX_VALUE, 1}}) {
      assertThrows(IllegalArgumentException.class, () -> step.lay(bad));
    }
    assertEquals(7, step.totalRows());
  }

  @Test
  void chunksByRuleAreAsLargeAsAMessageWithoutHandshake() {
    Chunking rule = Chunking.BY_RULE.on(LinkCosts.of(60e3, 1e9));
    for (long rows = 1; rows < 200_000; rows = rows * 5 / 4 + 1) {
      for (long rowBytes : new long[] {1, 1000, 8192, 1 << 20}) {
        long chunkRows = ChunkRule.rows(rule, rows, rowBytes);
        assertTrue(chunkRows == 1 || chunkRows * rowBytes <= 56 << 10);
        assertTrue(chunkRows == rows || (chunkRows + 1) * rowBytes > 56 << 10);
      }
    }
    assertTrue(ChunkRule.rows(rule, 0, 0) >= 1);
    assertEquals(7, ChunkRule.rows(rows(7), 1_000_000, 8192));
    assertEquals(9, ChunkRule.rows(rows(Long.MAX_VALUE), 9, 8192));
    assertThrows(IllegalArgumentException.class, () -> rows(-1));
    assertThrows(IllegalArgumentException.class, () -> new Chunking(0, -1));
    assertEquals(16, ChunkRule.rows(new Chunking(0, 128 << 10), 1_000_000, 8192));
    assertEquals(1, ChunkRule.rows(new Chunking(0, 1), 1_000_000, 8192));
  }

  /** Large chunks are at least eight, so that the first can be worked on soon. */
  @Test
  void fewRowsTravelInSmallerChunks() {
    Chunking large = new Chunking(0, 1 << 20);
    assertEquals(128, ChunkRule.rows(large, 2048, 8192));
    assertEquals(128, ChunkRule.rows(large, 1024, 8192));
    assertEquals(64, ChunkRule.rows(large, 512, 8192));
    assertEquals(8, ChunkRule.rows(large, 64, 8192));
    assertEquals(7, ChunkRule.rows(large, 32, 8192));
    assertEquals(5, ChunkRule.rows(large, 5, 8192));
    assertEquals(1, ChunkRule.rows(large, 100, 1 << 21));
  }

  /** On a link of 1 Gbit/s with 20 ms each way 5,000,000 bytes leave before a receipt is back. */
  @Test
  void asManyChunksAreInFlightAsTheLinkHolds() {
    assertEquals(8, inFlight(Tuning.DEFAULT, 60e3, 0.94e9));
    assertEquals(64, inFlight(Tuning.DEFAULT, 5e3, 100e9));
    assertEquals(89, inFlight(Tuning.DEFAULT, 20e6, 1e9));
    assertEquals(Tuning.MOST_IN_FLIGHT, inFlight(Tuning.DEFAULT, 1e9, 3.9e9));
    assertEquals(3, inFlight(Tuning.DEFAULT.withInFlight(3), 20e6, 1e9));
    assertEquals(64, inFlight(Tuning.DEFAULT, 20e3, 10e9));
    assertEquals(64, inFlight(Tuning.DEFAULT.withChunkBytes(128 << 10), 60e3, 0.94e9));
  }

  /** Of chunks of 7 rows of 8 KiB. */
  private static int inFlight(Tuning tuning, double latencyNanos, double bitsPerSecond) {
    LinkCosts link = LinkCosts.of(latencyNanos, bitsPerSecond);
    Tuning withLink = tuning.withCosts(CostModel.ASSUMED.withLink(link));
    GatherLayout step = Plans.alongRows(8192, 100_000, Hosts.of(0, 0, 1, 1), withLink).step();
    SumLayout sums =
        SumPlan.of(new SumProblem(2048, 8192, false, 100_000), Hosts.of(0, 0, 1, 1), withLink)
            .step();
    assertEquals(step.inFlight(), sums.inFlight());
    return step.inFlight();
  }

  /** A fast link has larger ones. */
  @Test
  void chunksByRuleAreLargerOnAFastLink() {
    double[] gigabits = {0.1, 1, 2.5, 4.9, 5, 9.4, 25, 100, 400};
    long[] kibibytes = {56, 56, 56, 56, 1024, 1024, 1024, 1024, 1024};
    for (int i = 0; i < gigabits.length; i++) {
      LinkCosts link = LinkCosts.of(1e3, gigabits[i] * 1e9);
      assertEquals(new Chunking(0, kibibytes[i] << 10), Chunking.BY_RULE.on(link), link::toString);
      for (Chunking asked : List.of(rows(3), new Chunking(0, 77))) {
        assertEquals(asked, asked.on(link));
      }
    }
    Tuning fast =
        Tuning.DEFAULT.withCosts(CostModel.ASSUMED.withMeasuredLink(LinkCosts.of(1e3, 9.4e9)));
    String explained = Plans.alongRows(4096, 4096, Hosts.of(0, 1), fast).explain().toString();
    assertTrue(
        explained.contains("as many as fit a message of 1048576 bytes, for a link of 9.40 Gbit/s"),
        explained);
  }

  private static Chunking rows(long rows) {
    return Tuning.DEFAULT.withChunkRows(rows).chunking();
  }

  @Test
  void aPlanPrintsItselfForAPerson() {
    Tuning ring = Tuning.DEFAULT.withSchedule(Schedule.RING).withChunkRows(4);
    GatherLayout step = Plans.alongRows(512, 100, Hosts.of(0, 0, 1, 2), ring).step();
    step.lay(new long[] {10, 0, 3, 0});
    assertEquals(
        """
        gather up to 100 rows of 512 bytes along rows from 4 ranks on 3 hosts [[0, 1], [2], [3]]
        schedule ring, storage gathered, overlap pipelined, chunks of up to 4 rows, 8 in flight per route
        rows 0-9 of rank 0: 3 chunks of 4 rows; to host 1: rank 0 -> rank 2; to host 2: rank 0 -> rank 2 -> rank 3
        rows 10-12 of rank 2: 1 chunk; to host 0: rank 2 -> rank 3 -> rank 0; to host 2: rank 2 -> rank 3
        """,
        step.toString());
  }
}
