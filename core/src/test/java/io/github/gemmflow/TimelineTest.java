// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.trace.Recording;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import java.lang.foreign.Arena;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the threads of a rank do can be written down. */
class TimelineTest {
  private static final int K = 8;
  private static final int N = 4;
  private static final long[] ROWS = {30, 0, 17, 5};
  private static final int ALL = 52;

  /** Ranks 0 and 1 share a host, and so do 2 and 3. */
  @Test
  void workCoversAllRowsAndArrivalsThoseOfOtherHosts() {
    List<BitSet> arrivedOnHost = List.of(new BitSet(), new BitSet());
    LocalWorld.onHosts(0, 0, 1, 1)
        .run(
            world -> {
              BitSet arrived = record(world);
              BitSet ofHost = arrivedOnHost.get(world.rank() / 2);
              synchronized (ofHost) {
                assertFalse(ofHost.intersects(arrived), "each row enters a host once");
                ofHost.or(arrived);
              }
            });
    assertEquals(List.of(bits(30, ALL), bits(0, 30)), arrivedOnHost);
  }

  /** Records a step; returns the rows that this rank found to be there. */
  private static BitSet record(World world) {
    Group group = world.group();
    Timeline timeline;
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(group).rows(ALL).columns(K).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT);
        AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build()) {
      Matrix c = Matrix.allocate(DType.F32, ALL, N, arena);
      step(linear, c);
      long before = System.nanoTime();
      try (Recording recording = space.record()) {
        timeline = recording.timeline();
        step(linear, c);
      }
      long after = System.nanoTime();
      List<Span> spans = timeline.spans();
      step(linear, c);
      assertEquals(count(spans), count(timeline.spans()), "nothing is written any more");
      assertEquals(0, timeline.leftOut());
      assertEquals(bits(0, ALL), rows(spans, Span.Kind.WORK));
      for (Span span : spans) {
        boolean mine = span.thread() == 0;
        assertTrue(span.begin() <= span.end(), span::toString);
        assertTrue(!mine || (span.begin() >= before && span.end() <= after), span::toString);
      }
      return rows(spans, Span.Kind.ARRIVAL);
    }
  }

  private static long count(List<Span> spans) {
    return spans.stream().filter(span -> span.kind() == Span.Kind.WORK).count();
  }

  private static void step(AllGatherMatmul linear, Matrix c) {
    try (Step step = linear.begin(RowCounts.known(ROWS))) {
      Exact.fill(step.input(), 7, step.firstRow());
      step.run(c);
    }
    Exact.checkProduct(c, 7, 1, K);
  }

  private static BitSet bits(int from, int to) {
    BitSet bits = new BitSet();
    bits.set(from, to);
    return bits;
  }

  /** The rows of all spans of a kind; none may be in two. */
  private static BitSet rows(List<Span> spans, Span.Kind kind) {
    BitSet rows = new BitSet();
    for (Span span : spans) {
      if (span.kind() == kind) {
        BitSet mine = bits((int) span.firstRow(), (int) (span.firstRow() + span.rows()));
        assertTrue(!mine.intersects(rows), spans::toString);
        rows.or(mine);
      }
    }
    return rows;
  }
}
