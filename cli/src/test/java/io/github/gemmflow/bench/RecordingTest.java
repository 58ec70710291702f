// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.trace.Span;
import java.nio.ByteBuffer;
import java.util.List;
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

  private static final Recording RECORDING =
      new Recording(
          1,
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
    assertTrue(
        trace.contains(
            "{\"name\": \"multiply rows 0-3\", \"cat\": \"WORK\", \"ph\": \"X\", \"pid\": 0, \"tid\": 1, \"ts\": 0.00000, \"dur\": 1500.00}"),
        trace);
    assertTrue(trace.contains("\"rows 4-7 arrived\", \"cat\": \"ARRIVAL\""), trace);
  }

  @Test
  void aPictureTellsWaitingFromMultiplying() {
    String svg = Picture.draw(RECORDING);
    assertTrue(svg.contains("rank 1 thread 0"), svg);
    assertTrue(svg.contains("<title>multiply rows 0-3, 0.00 to 1.50 ms</title>"), svg);
    assertTrue(svg.contains("<title>wait, 1.50 to 2.00 ms</title>"), svg);
    assertFalse(svg.contains("rank 2"), svg);
  }
}
