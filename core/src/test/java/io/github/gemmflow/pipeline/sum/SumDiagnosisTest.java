// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.NextTile;
import io.github.gemmflow.plan.NextTile.Stage;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

/** Rank 0, with rank 1 on its host and rank 2 on another; tiles of 4 rows. */
class SumDiagnosisTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1);

  private final SumPlan plan =
      SumPlan.of(
          new SumProblem(3, 3 * Float.BYTES, true, 100),
          HOSTS,
          Tuning.DEFAULT.withChunkRows(4).withSlots(2));
  private final HostMemory host = new HostMemory(HOSTS, 0);
  private final HostPeers peers = host.rank(0);
  private final HeaderCheck headers = new HeaderCheck(peers, host.headers());
  private final SumStep step = new SumMemory(plan, 0).begin(1, 4, 4, 4);
  private final SumLayout layout = step.layout();
  private final NextTile tiles = new NextTile(0, HOSTS);
  private final SumProgress progress = new SumProgress(step, peers, headers);
  private final SumDiagnosis diagnosis =
      new SumDiagnosis(peers, headers, new Diagnosis(peers, host.window(), () -> ""), tiles);

  SumDiagnosisTest() {
    tiles.reset(layout);
  }

  private void beginAll() {
    for (int rank = 0; rank < 3; rank++) {
      host.begin(rank, 0, 1, 4, layout.countsHash());
    }
  }

  /** This rank computes all that it has room for. */
  private void compute(int rank, long tilesDone) {
    for (long i = 0; rank == 0 && i < tilesDone; i++) {
      assertTrue(tiles.canGoOn(layout, Stage.COMPUTE, progress));
      boolean none = tiles.begin(layout, Stage.COMPUTE, 1);
      assertFalse(none);
      int task = tiles.take(Stage.COMPUTE);
      assertEquals(0, task);
      assertTrue(tiles.finish(Stage.COMPUTE, tiles.job(Stage.COMPUTE)));
    }
    step.publishComputed(rank, tilesDone);
  }

  /** Who has not begun is asked last: it waits in the step before. */
  @Test
  void aRankThatHasNotBegunIsNamed() {
    host.begin(0, 0, 1, 4, layout.countsHash());
    assertEquals(2, diagnosis.giveUpDelay(step));
    String text = diagnosis.missing(step, progress);
    assertTrue(text.contains("rank 1") && text.contains("has not begun the step"), text);
  }

  @Test
  void aNeighbourThatHasNotComputedIsNamed() {
    beginAll();
    compute(0, 2);
    assertTrue(diagnosis.isWaitingForHost(step));
    assertEquals(1, diagnosis.giveUpDelay(step));
    String text = diagnosis.missing(step, progress);
    assertTrue(text.contains("rank 1 did not compute partial sums"), text);
  }

  /** Whoever knows that another host is late is the first to say so. */
  @Test
  void anotherHostThatHasSentNothingIsNamed() {
    beginAll();
    compute(0, 2);
    compute(1, 2);
    // Neither what this rank adds up for the other host nor its neighbours are in the way.
    while (!tiles.isAtEnd(layout, Stage.ADD_HOST)) {
      boolean none = tiles.begin(layout, Stage.ADD_HOST, 1);
      assertFalse(none);
      int task = tiles.take(Stage.ADD_HOST);
      assertEquals(0, task);
      assertTrue(tiles.finish(Stage.ADD_HOST, tiles.job(Stage.ADD_HOST)));
    }
    String text = diagnosis.missing(step, progress);
    assertTrue(text.contains("did not arrive (rank 2 -> rank 0)"), text);
    assertEquals(0, diagnosis.giveUpDelay(step));
    assertFalse(diagnosis.isWaitingForHost(step));
  }
}
