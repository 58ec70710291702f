// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One pipelined step of all ranks in the format that Chrome and Perfetto draw ("Trace Event
 * Format"): a process for each rank, a track for each thread.
 */
final class Trace {
  private static final int MEETINGS = 21;

  private Trace() {}

  /** Records a step, and gives all ranks the file. Collective. */
  static String of(World world, Layer layer, Meeting meeting, int threads) {
    long offset = clockOffset(world.group(), meeting);
    Timeline timeline = new Timeline(threads);
    meeting.meet();
    long start = System.nanoTime();
    layer.record(timeline);
    layer.run(View.PIPELINED);
    layer.record(null);
    // Rank 0 began when the clocks of all others said so, but for their offset.
    long zero = ByteBuffer.wrap(world.group().broadcast(0, bytes(start))).getLong() + offset;
    List<String> events = events(world.rank(), threads, timeline, zero);
    List<String> all = new ArrayList<>();
    for (int rank = 0; rank < world.size(); rank++) {
      byte[] theirs = world.group().broadcast(rank, String.join(",\n", events).getBytes(UTF_8));
      all.add(new String(theirs, UTF_8));
    }
    return "{\"traceEvents\": [\n" + String.join(",\n", all) + "\n]}\n";
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /**
   * How many nanoseconds this rank's clock is ahead of rank 0's: all ranks look at theirs whenever
   * they have met, and the median of the differences leaves out those who came late.
   */
  private static long clockOffset(Group group, Meeting meeting) {
    ByteBuffer mine = ByteBuffer.allocate(MEETINGS * Long.BYTES);
    for (int i = 0; i < MEETINGS; i++) {
      meeting.meet();
      mine.putLong(System.nanoTime());
    }
    ByteBuffer first = ByteBuffer.wrap(group.broadcast(0, mine.array()));
    mine.flip();
    long[] ahead = new long[MEETINGS];
    for (int i = 0; i < MEETINGS; i++) {
      ahead[i] = mine.getLong() - first.getLong();
    }
    Arrays.sort(ahead);
    return ahead[MEETINGS / 2];
  }

  /** One line for each event of a rank. */
  static List<String> events(int rank, int threads, Timeline timeline, long zero) {
    List<String> lines = new ArrayList<>();
    lines.add(name("process_name", rank, 0, "rank " + rank));
    lines.add(name("thread_name", rank, track(Span.COMM), "communication"));
    for (int thread = 0; thread < threads; thread++) {
      lines.add(name("thread_name", rank, track(thread), "compute thread " + thread));
    }
    for (Span span : timeline.spans()) {
      Map<String, Object> event = new LinkedHashMap<>();
      event.put("name", describe(span));
      event.put("cat", span.kind().toString());
      event.put("ph", "X");
      event.put("pid", rank);
      event.put("tid", track(span.thread()));
      event.put("ts", (span.begin() - zero) / 1e3);
      event.put("dur", (span.end() - span.begin()) / 1e3);
      lines.add(Json.write(event));
    }
    return lines;
  }

  private static int track(int thread) {
    return thread - Span.COMM;
  }

  private static String name(String what, int rank, int track, String name) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", what);
    event.put("ph", "M");
    event.put("pid", rank);
    event.put("tid", track);
    event.put("args", Map.of("name", name));
    return Json.write(event);
  }

  private static String describe(Span span) {
    String rows = "rows %d-%d".formatted(span.firstRow(), span.firstRow() + span.rows() - 1);
    return switch (span.kind()) {
      case WORK -> "multiply " + rows;
      case ARRIVAL -> rows + " arrived";
      case WAIT -> "wait";
      case TRANSFER -> "transfer";
    };
  }
}
