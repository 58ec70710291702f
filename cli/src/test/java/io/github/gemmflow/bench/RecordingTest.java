// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordingTest {
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
    assertEquals(ahead + 1, Recording.offset(mine, first));
  }

  /** What runs is not a layer, and does one span of work on each rank. */
  @Test
  void anythingCanBeRecorded() {
    List<Recording> recordings = new CopyOnWriteArrayList<>();
    LocalWorld.of(2)
        .config(Config.builder().threads(1).build())
        .run(
            world -> {
              try (Meeting meeting = new Meeting(world, 1)) {
                recordings.add(Recording.of(world, new Work(world.rank()), meeting));
              }
            });
    assertEquals(recordings.get(0), recordings.get(1), "all ranks get the same");
    for (int rank = 0; rank < 2; rank++) {
      List<Span> spans = recordings.get(0).ranks().get(rank);
      assertEquals(1, spans.size(), spans::toString);
      assertEquals(rank, spans.get(0).firstRow());
    }
    assertTrue(recordings.get(0).ranks().get(0).get(0).end() > 0, recordings::toString);
  }

  private static final class Work implements Recorded {
    private final long row;
    private @Nullable Timeline timeline;

    Work(long row) {
      this.row = row;
    }

    @Override
    public void record(@Nullable Timeline newTimeline) {
      timeline = newTimeline;
    }

    @Override
    public void run() {
      Objects.requireNonNull(timeline).add(Span.Kind.WORK, 0, System.nanoTime(), row, 1);
    }
  }

  private static final Recording RECORDING =
      new Recording(
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
    String trace = Trace.write(new Recording(1, List.of("alpha"), List.of(List.of(span))));
    assertTrue(trace.contains("\"ts\": 30000000.001, \"dur\": 0.011"), trace);
  }
}
