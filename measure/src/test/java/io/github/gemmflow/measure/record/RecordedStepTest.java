// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.trace.Span;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class RecordedStepTest {
  private static ByteBuffer times(long... nanos) {
    ByteBuffer buffer = ByteBuffer.allocate(nanos.length * Long.BYTES);
    buffer.asLongBuffer().put(nanos);
    return buffer;
  }

  /** Hosts count from when they were started; a rank that comes late to a meeting says little. */
  @Test
  void clocksAreComparedByMeetings() {
    long ahead = 7_000_000_000_000L;
    ByteBuffer first = times(100, 90_200, 300, 400, 500);
    ByteBuffer mine = times(ahead + 101, ahead + 199, ahead + 300, ahead + 9_000_400, ahead + 501);
    assertEquals(ahead + 1, RecordedStep.offset(mine, first));
  }

  @Test
  void allRanksGetTheSpansOfAll() {
    List<RecordedStep> recordings = new CopyOnWriteArrayList<>();
    LocalWorld.of(2)
        .config(Config.builder().threads(1).build())
        .run(
            world -> {
              try (Meeting meeting = new Meeting(world);
                  Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(2).columns(1).open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix mine = Matrix.allocate(DType.F32, 1, 1, arena);
                Matrix all = Matrix.allocate(DType.F32, 2, 1, arena);
                Runnable step = () -> gather.run(mine, all);
                recordings.add(RecordedStep.of(world, space, step, meeting));
              }
            });
    assertEquals(recordings.get(0), recordings.get(1), "all ranks get the same");
    for (List<Span> spans : recordings.get(0).ranks()) {
      long rows =
          spans.stream().filter(s -> s.kind() == Span.Kind.WORK).mapToLong(Span::rows).sum();
      assertEquals(2, rows, spans::toString);
      assertTrue(spans.getLast().end() > 0, spans::toString);
    }
  }

  /** The first try is an odd one, since a rank comes late to it: another one is drawn. */
  @Test
  void anOddStepIsNotDrawn() {
    long late = 300_000_000;
    List<RecordedStep> recordings = new CopyOnWriteArrayList<>();
    LocalWorld.of(2)
        .config(Config.builder().threads(1).build())
        .run(
            world -> {
              try (Meeting meeting = new Meeting(world);
                  Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(2).columns(1).open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix mine = Matrix.allocate(DType.F32, 1, 1, arena);
                Matrix all = Matrix.allocate(DType.F32, 2, 1, arena);
                AtomicInteger steps = new AtomicInteger();
                Runnable step =
                    () -> {
                      // Two to warm up, and one more.
                      if (steps.incrementAndGet() <= 3 && world.rank() == 1) {
                        LockSupport.parkNanos(late);
                      }
                      gather.run(mine, all);
                    };
                recordings.add(RecordedStep.of(world, space, step, meeting));
              }
            });
    List<Span> spans = recordings.getFirst().ranks().getFirst();
    assertTrue(spans.getLast().end() < late / 2, spans::toString);
  }

  private static final RecordedStep RECORDING =
      new RecordedStep(
          1,
          List.of("alpha", "beta"),
          List.of(
              List.of(
                  new Span(Span.Kind.ARRIVAL, Span.COMM, 2_000_000, 2_100_000, 4, 4),
                  new Span(Span.Kind.WORK, 0, 0, 1_500_000, 0, 4),
                  new Span(Span.Kind.WAIT, 0, 1_500_000, 2_000_000, 0, 0)),
              List.of(new Span(Span.Kind.WORK, 0, -1_000, 10_000_000, 0, 8))));

  @Test
  void aTraceHasAProcessPerRankAndATrackPerThread() {
    String trace = Trace.write(RECORDING);
    assertTrue(trace.contains("\"name\": \"rank 1\""), trace);
    assertTrue(trace.contains("\"labels\": \"beta\""), trace);
    assertTrue(
        trace.contains(
            "{\"name\": \"multiply rows 0-3\", \"cat\": \"WORK\", \"ph\": \"X\", \"pid\": 0, \"tid\": 1, \"ts\": 0.000, \"dur\": 1500.000}"),
        trace);
    assertTrue(trace.contains("\"rows 4-7 arrived\", \"cat\": \"ARRIVAL\""), trace);
  }

  /** Half a minute in, neighbours still touch. */
  @Test
  void aTraceIsExactToTheNanosecond() {
    Span span = new Span(Span.Kind.WORK, 0, 30_000_000_001L, 30_000_000_012L, 0, 1);
    String trace = Trace.write(new RecordedStep(1, List.of("alpha"), List.of(List.of(span))));
    assertTrue(trace.contains("\"ts\": 30000000.001, \"dur\": 0.011"), trace);
  }

  /** The step that is drawn is no odd one. */
  @Test
  void theTryNearestTheMedianIsChosen() {
    ByteBuffer first = ByteBuffer.allocate(3 * Long.BYTES).putLong(10).putLong(2).putLong(3).flip();
    ByteBuffer other =
        ByteBuffer.allocate(3 * Long.BYTES).putLong(1).putLong(20).putLong(11).flip();
    assertEquals(2, RecordedStep.nearestMedian(List.of(first, other)));
  }
}
