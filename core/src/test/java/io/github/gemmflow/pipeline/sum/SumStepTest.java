// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostMemory;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.plan.SumLayout;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.Test;

/** Rank 0, with rank 1 on its host and rank 2 on another; tiles of 4 rows. */
class SumStepTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1);
  private static final int COLUMNS = 3;
  private static final long OPERATOR = 9;

  private final SumPlan plan =
      SumPlan.of(
          new SumProblem(COLUMNS, COLUMNS * Float.BYTES, true, 100),
          HOSTS,
          Tuning.DEFAULT.withChunkRows(4).withSlots(2));
  private final SumMemory memory = new SumMemory(plan, 0);

  private SumStep begin(long... rows) {
    return memory.begin(OPERATOR, rows);
  }

  @Test
  void slotsAreUsedInTurnOverAllSteps() {
    SumStep first = begin(6, 3, 5);
    long tilesOfFirst = first.layout().tiles();
    for (long position = 0; position < tilesOfFirst; position++) {
      assertEquals(position, first.use(position));
      assertEquals(position % plan.slots() * plan.tileRows(), first.slotRow(position));
    }
    SumStep second = begin(1, 1, 1);
    assertEquals(tilesOfFirst, second.use(0));
    assertEquals(tilesOfFirst % plan.slots() * plan.tileRows(), second.slotRow(0));
  }

  /** A slot is filled again when the slowest of the host's readers has passed it. */
  @Test
  void aSlotIsFreeWhenAllReadersHavePassedIt() {
    SumStep step = begin(6, 3, 5);
    int slots = plan.slots();
    assertTrue(step.isFree(0) && step.isFree(slots - 1));
    for (int reader = 0; reader < StepWindow.readers(HOSTS, 0); reader++) {
      assertFalse(step.isFree(slots), "reader " + reader + " needs it");
      assertTrue(step.pass(reader, 1));
      assertFalse(step.pass(reader, 1), "that is no news");
    }
    assertTrue(step.isFree(slots));
    assertFalse(step.isFree(slots + 1));
  }

  @Test
  void whatRanksOfTheHostHaveDoneIsCountedFromTheStep() {
    SumStep first = begin(6, 3, 5);
    first.publishComputed(1, 2);
    first.publishAdded(1, 1);
    first.publishTotalled(1, 1);
    assertTrue(first.isComputed(1, 1));
    assertFalse(first.isComputed(1, 2));
    assertFalse(first.isComputed(0, 0));
    assertTrue(first.isAdded(1, 0));
    assertFalse(first.isAdded(1, 1));
    assertEquals(1, first.totalledUpTo(1));
    SumStep second = begin(6, 3, 5);
    assertFalse(second.isComputed(1, 0));
    assertFalse(second.isAdded(1, 0));
    second.publishAdded(1, 1);
    assertEquals(1, second.addedUpTo(1));
    assertTrue(first.isAdded(1, first.layout().tiles() - 1), "all of the step before");
  }

  @Test
  void chunksOfLaterStepsDoNotCount() {
    SumStep first = begin(6, 3, 5);
    int route = first.layout().route(1, 0);
    long all = first.layout().chunks(route);
    assertTrue(all > 1);
    first.publishArrived(route, 1);
    assertEquals(1, first.arrived(route));
    SumStep second = begin(4, 3, 5);
    second.publishArrived(route, 1);
    assertEquals(1, second.arrived(route));
    assertEquals(all, first.arrived(route));
  }

  /** What a rank has added up lies where its partial sums were; a chunk of it is whole rows. */
  @Test
  void sumsTakeThePlaceOfPartialSums() {
    SumStep step = begin(6, 3, 5);
    SumLayout layout = step.layout();
    int block = 2;
    int route = layout.route(0, block);
    long rows = 0;
    for (long chunk = 0; chunk < layout.chunks(route); chunk++) {
      long piece = layout.pieceOfChunk(block, chunk);
      TileRows tile = new TileRows();
      tile.atPiece(layout, block, piece, layout.piecePosition(0, block, piece));
      Block part = step.part(new Block(), 1, tile);
      Block whole = step.sum(new Block(), 1, tile);
      assertEquals(part.offset(), whole.offset());
      assertEquals(part.stride(), whole.stride());
      Block sent = step.sum(new Block(), 1, route, chunk);
      long within = layout.chunkBegin(route, chunk) - layout.pieceBegin(block, piece);
      assertEquals(whole.offset() + within * whole.stride(), sent.offset());
      rows += sent.rows();
    }
    assertEquals(5, rows);
  }

  /** What a rank says counts when its header is about this step. */
  @Test
  void progressCountsWithItsHeader() {
    HostMemory host = new HostMemory(HOSTS, 0);
    HeaderCheck headers = new HeaderCheck(host.rank(0), host.headers());
    SumStep step = begin(6, 3, 5);
    SumProgress progress = new SumProgress(step, host.rank(0), headers);
    step.publishComputed(1, 3);
    step.publishAdded(1, 3);
    step.publishTotalled(1, 3);
    int route = step.layout().route(1, 0);
    step.publishArrived(route, 1);
    assertFalse(progress.isComputed(1, 0));
    assertFalse(progress.isAdded(1, 0));
    assertFalse(progress.isTotalled(1, 0));
    assertEquals(0, progress.arrived(route));
    host.begin(1, 0, OPERATOR, 3, step.layout().countsHash());
    assertTrue(progress.isComputed(1, 0) && progress.isAdded(1, 0) && progress.isTotalled(1, 0));
    assertEquals(0, progress.arrived(route), "the sender's header is missing");
    host.begin(2, 0, OPERATOR, 5, step.layout().countsHash());
    assertEquals(0, progress.arrived(route), "the receiver's header is missing");
    host.begin(0, 0, OPERATOR, 6, step.layout().countsHash());
    assertEquals(1, progress.arrived(route));
    assertTrue(progress.isFree(1));
    SumStep other = begin(6, 3, 5);
    host.begin(1, 1, OPERATOR + 1, 3, other.layout().countsHash());
    other.publishComputed(1, 3);
    SumProgress mixed = new SumProgress(other, host.rank(0), headers);
    assertThrows(DisagreementException.class, () -> mixed.isComputed(1, 0));
  }
}
