// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A flight recording that asks for it tells what a timeline tells, and the steps around it. */
class JfrTest {
  private static final String PREFIX = "io.github.gemmflow.";
  private static final Set<String> EVENTS = Set.of("Step", "Multiply", "Add", "Wait", "Arrival");
  private static final int K = 8;
  private static final int N = 4;
  private static final long[] ROWS = {30, 0, 17, 5};
  private static final long[] FIRST_ROWS = {0, 30, 30, 47, 52};
  private static final int ALL = 52;
  private static final int GATHERS = 3;
  private static final int SUMS = 2;

  @TempDir private Path directory;

  /** So that a recording without others is known to work. */
  @Name("io.github.gemmflow.test.Control")
  private static final class Control extends jdk.jfr.Event {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void eventsTellWhatTimelinesTell(int threads) throws IOException {
    Timeline[] timelines = new Timeline[ROWS.length];
    List<RecordedEvent> events = record(EVENTS, () -> runSteps(threads, timelines));
    for (int rank = 0; rank < timelines.length; rank++) {
      Map<String, Long> told =
          ofRank(events, rank)
              .filter(event -> !isA(event, "Step"))
              .collect(groupingBy(JfrTest::describe, TreeMap::new, counting()));
      Map<String, Long> expected =
          timelines[rank].spans().stream()
              .filter(span -> span.kind() != Span.Kind.TRANSFER)
              .collect(groupingBy(JfrTest::describe, TreeMap::new, counting()));
      assertEquals(expected, told, "rank " + rank);
    }
    assertTrue(events.stream().anyMatch(event -> isA(event, "Wait")), "rank 0 was late");
  }

  /** Ranks 0 and 1 share a host, and so do 2 and 3. */
  @Test
  void eventsCoverTheRowsOfEachStep() throws IOException {
    List<RecordedEvent> events = record(EVENTS, () -> runSteps(1, new Timeline[ROWS.length]));
    for (long number = 0; number < GATHERS + SUMS; number++) {
      long step = number;
      List<RecordedEvent> ofStep =
          events.stream().filter(event -> event.getLong("step") == step).toList();
      for (int rank = 0; rank < ROWS.length; rank++) {
        List<RecordedEvent> mine = ofRank(ofStep, rank).toList();
        assertEquals(bits(0, ALL), rows(mine, "Multiply"));
        checkStep(mine, step);
        BitSet wanted = bits(FIRST_ROWS[rank], FIRST_ROWS[rank + 1]);
        BitSet added = rows(mine, "Add");
        if (step < GATHERS) {
          assertTrue(added.isEmpty(), mine::toString);
        } else {
          added.and(wanted);
          assertEquals(wanted, added);
        }
      }
      if (step < GATHERS) {
        List<RecordedEvent> first = ofStep.stream().filter(e -> e.getInt("rank") < 2).toList();
        List<RecordedEvent> second = ofStep.stream().filter(e -> e.getInt("rank") >= 2).toList();
        assertEquals(bits(30, ALL), rows(first, "Arrival"), "each row enters a host once");
        assertEquals(bits(0, 30), rows(second, "Arrival"), "each row enters a host once");
      }
    }
  }

  /** The events of a rank in a step lie in the event of the step, except what comes early. */
  private static void checkStep(List<RecordedEvent> events, long number) {
    List<RecordedEvent> steps = events.stream().filter(event -> isA(event, "Step")).toList();
    assertEquals(1, steps.size(), events::toString);
    RecordedEvent step = steps.get(0);
    boolean gathers = number < GATHERS;
    String operator = gathers ? "AllGatherMatmul of 8 columns with" : "MatmulReduceScatter of 4";
    assertTrue(step.getString("operator").startsWith(operator), step::toString);
    assertEquals(gathers ? 0 : 1, step.getLong("operatorNumber"));
    assertEquals(ALL, step.getLong("rows"));
    int rank = step.getInt("rank");
    for (RecordedEvent event : events) {
      if (isA(event, "Arrival")) {
        assertEquals("gemmflow-comm-" + rank, event.getThread().getJavaName());
        assertEquals(Duration.ZERO, event.getDuration());
      } else {
        assertEquals("gemmflow-rank-" + rank, event.getThread().getJavaName());
        assertTrue(event.getDuration().isPositive(), event::toString);
        assertFalse(event.getStartTime().isBefore(step.getStartTime()), events::toString);
        assertFalse(event.getEndTime().isAfter(step.getEndTime()), events::toString);
      }
    }
  }

  @Test
  void aStepThatFailsIsToldToo() throws IOException {
    CountDownLatch begun = new CountDownLatch(1);
    List<RecordedEvent> events =
        record(Set.of("Step"), () -> LocalWorld.of(2).run(world -> failInStep(world, begun)));
    assertEquals(1, events.size(), events::toString);
    assertEquals(0, events.get(0).getInt("rank"));
  }

  /** Rank 1 ends the step without having run it. */
  private static void failInStep(World world, CountDownLatch begun) throws InterruptedException {
    try (Workspace space = Workspace.on(world.group()).rows(2).columns(K).open();
        AllGather gather = AllGather.on(space).build();
        Step step = gather.begin(RowCounts.known(1, 1))) {
      if (world.rank() == 0) {
        begun.countDown();
        step.run();
      }
      begun.await();
    } catch (GemmflowException e) {
      assertEquals(0, world.rank());
    }
  }

  @Test
  void nothingIsRecordedThatWasNotAskedFor() throws IOException {
    Timeline[] timelines = new Timeline[ROWS.length];
    assertEquals(List.of(), record(Set.of(), () -> runSteps(1, timelines)));
    List<RecordedEvent> events = record(Set.of("Arrival"), () -> runSteps(1, timelines));
    assertFalse(events.isEmpty());
    assertTrue(events.stream().allMatch(event -> isA(event, "Arrival")), events::toString);
  }

  /** Our events of a recording of something that asks for some of them. */
  private List<RecordedEvent> record(Set<String> names, Runnable body) throws IOException {
    Path file = directory.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      names.forEach(name -> recording.enable(PREFIX + name));
      recording.start();
      body.run();
      new Control().commit();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        new ArrayList<>(
            RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith(PREFIX))
                .toList());
    assertTrue(events.removeIf(event -> isA(event, "test.Control")), "it was not recording");
    return events;
  }

  private static void runSteps(int threads, Timeline[] timelines) {
    LocalWorld.onHosts(0, 0, 1, 1)
        .config(Config.builder().threads(threads).build())
        .run(
            world -> {
              timelines[world.rank()] = runSteps(world);
            });
  }

  private static Timeline runSteps(World world) {
    int rank = world.rank();
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(ALL).columns(K).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT);
        AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build();
        MatmulReduceScatter sum = MatmulReduceScatter.on(space).weights(weights).build();
        io.github.gemmflow.trace.Recording recording = space.record()) {
      Matrix c = Matrix.allocate(DType.F32, ALL, N, arena);
      for (int i = 0; i < GATHERS; i++) {
        try (Step step = linear.begin(RowCounts.known(ROWS))) {
          Exact.fill(step.input(), i, step.firstRow());
          if (rank == 0) {
            // The others have to wait.
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
          }
          step.run(c);
        }
        Exact.checkProduct(c, i, 1, K);
      }
      Matrix a = Exact.matrix(DType.F32, ALL, K, 2, arena);
      for (int i = 0; i < SUMS; i++) {
        sum.run(RowCounts.known(ROWS), a, c.rows(0, ROWS[rank]));
      }
      return recording.timeline();
    }
  }

  private static Stream<RecordedEvent> ofRank(List<RecordedEvent> events, int rank) {
    return events.stream().filter(event -> event.getInt("rank") == rank);
  }

  private static boolean isA(RecordedEvent event, String name) {
    return event.getEventType().getName().equals(PREFIX + name);
  }

  private static String describe(Span span) {
    String rows = " rows %d+%d".formatted(span.firstRow(), span.rows());
    String thread = " by " + span.thread();
    return switch (span.kind()) {
      case WORK -> "Multiply" + thread + rows;
      case ADD -> "Add" + thread + rows;
      case WAIT -> "Wait" + thread;
      case ARRIVAL -> "Arrival" + rows;
      case TRANSFER -> "Transfer";
    };
  }

  private static String describe(RecordedEvent event) {
    String text = event.getEventType().getName().substring(PREFIX.length());
    if (event.hasField("thread")) {
      text += " by " + event.getInt("thread");
    }
    if (event.hasField("firstRow")) {
      text += " rows %d+%d".formatted(event.getLong("firstRow"), event.getLong("rows"));
    }
    return text;
  }

  private static BitSet bits(long from, long to) {
    BitSet bits = new BitSet();
    bits.set((int) from, (int) to);
    return bits;
  }

  /** The rows of all events of a kind; none may be in two. */
  private static BitSet rows(List<RecordedEvent> events, String name) {
    BitSet rows = new BitSet();
    for (RecordedEvent event : events) {
      if (isA(event, name)) {
        long first = event.getLong("firstRow");
        BitSet mine = bits(first, first + event.getLong("rows"));
        assertFalse(mine.intersects(rows), events::toString);
        rows.or(mine);
      }
    }
    return rows;
  }
}
