// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.record;

import io.github.gemmflow.Group;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.measure.Machine;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.trace.Recording;
import io.github.gemmflow.trace.Span;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Record of what all threads of all ranks did in one step, or in anything else that they do in a
 * workspace.
 *
 * @param threads how many threads of a rank work on rows
 * @param hosts the name of each rank's host
 * @param ranks the spans of each rank, in nanoseconds since rank 0 began
 */
public record RecordedStep(int threads, List<String> hosts, List<List<Span>> ranks) {
  private static final int MEETINGS = 21;

  /** How often it is recorded, and how often before that: the first ones meet cold code. */
  private static final int TRIES = 9;

  private static final int WARM_UP = 2;

  private static final List<Span.Kind> KINDS = List.of(Span.Kind.values());
  private static final int LONGS_PER_SPAN = 6;

  /**
   * Records something. Collective; all ranks get the same.
   *
   * @param space the workspace that it uses
   * @param step does it once; called a few times
   */
  public static RecordedStep of(World world, Workspace space, Runnable step, Meeting meeting) {
    return of(world, List.of(space), step, meeting);
  }

  /**
   * Like {@link #of(World, Workspace, Runnable, Meeting)}, for what uses several workspaces at a
   * time: threads of each are shown below those of the one before.
   */
  public static RecordedStep of(
      World world, List<Workspace> spaces, Runnable step, Meeting meeting) {
    Group group = meeting.group();
    long offset = clockOffset(group, meeting);
    int threads = world.config().threads();
    List<List<Span>> tries = new ArrayList<>();
    long[] starts = new long[TRIES];
    ByteBuffer took = ByteBuffer.allocate(TRIES * Long.BYTES);
    for (int i = -WARM_UP; i < TRIES; i++) {
      meeting.meet();
      long start = System.nanoTime();
      List<Recording> recordings = spaces.stream().map(Workspace::record).toList();
      try {
        step.run();
        if (i >= 0) {
          tries.add(spans(recordings, threads));
          starts[i] = start;
          took.putLong(System.nanoTime() - start);
        }
      } finally {
        recordings.forEach(Recording::close);
      }
    }
    int chosen =
        nearestMedian(Arrays.stream(group.allGather(took.array())).map(ByteBuffer::wrap).toList());
    // Rank 0 began when the clocks of all others said so, but for their offset.
    long zero = ByteBuffer.wrap(group.broadcast(0, bytes(starts[chosen]))).getLong() + offset;
    byte[] mine = bytes(tries.get(chosen), zero);
    byte[] host = Machine.hostName().getBytes(StandardCharsets.UTF_8);
    return new RecordedStep(
        threads * spaces.size(),
        Arrays.stream(group.allGather(host))
            .map(name -> new String(name, StandardCharsets.UTF_8))
            .toList(),
        Arrays.stream(group.allGather(mine))
            .map(ByteBuffer::wrap)
            .map(RecordedStep::spans)
            .toList());
  }

  /** The spans of all workspaces, whose compute threads are numbered through. */
  private static List<Span> spans(List<Recording> recordings, int threads) {
    List<Span> all = new ArrayList<>();
    for (int i = 0; i < recordings.size(); i++) {
      int shift = i * threads;
      for (Span span : recordings.get(i).timeline().spans()) {
        all.add(span.thread() == Span.COMM ? span : span.onThread(span.thread() + shift));
      }
    }
    return all;
  }

  /**
   * The try that took its slowest rank about as long as most did.
   *
   * @param ofRanks the nanoseconds of all tries, of each rank
   */
  static int nearestMedian(List<ByteBuffer> ofRanks) {
    double[] slowest = new double[ofRanks.get(0).remaining() / Long.BYTES];
    for (ByteBuffer ofRank : ofRanks) {
      for (int i = 0; i < slowest.length; i++) {
        slowest[i] = Math.max(slowest[i], (double) ofRank.getLong(i * Long.BYTES));
      }
    }
    double median = Samples.quantile(slowest, 0.5);
    int nearest = 0;
    for (int i = 1; i < slowest.length; i++) {
      if (Math.abs(slowest[i] - median) < Math.abs(slowest[nearest] - median)) {
        nearest = i;
      }
    }
    return nearest;
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  private static byte[] bytes(List<Span> spans, long zero) {
    ByteBuffer buffer = ByteBuffer.allocate(spans.size() * LONGS_PER_SPAN * Long.BYTES);
    for (Span span : spans) {
      buffer.putLong(KINDS.indexOf(span.kind())).putLong(span.thread());
      buffer.putLong(span.begin() - zero).putLong(span.end() - zero);
      buffer.putLong(span.firstRow()).putLong(span.rows());
    }
    return buffer.array();
  }

  private static List<Span> spans(ByteBuffer buffer) {
    List<Span> spans = new ArrayList<>();
    while (buffer.hasRemaining()) {
      Span.Kind kind = KINDS.get((int) buffer.getLong());
      int thread = (int) buffer.getLong();
      long begin = buffer.getLong();
      long end = buffer.getLong();
      spans.add(new Span(kind, thread, begin, end, buffer.getLong(), buffer.getLong()));
    }
    return spans;
  }

  /** How many nanoseconds this rank's clock is ahead of rank 0's. */
  private static long clockOffset(Group group, Meeting meeting) {
    ByteBuffer mine = ByteBuffer.allocate(MEETINGS * Long.BYTES);
    for (int i = 0; i < MEETINGS; i++) {
      meeting.meet();
      mine.putLong(System.nanoTime());
    }
    byte[] kernel = runningKernel();
    boolean isSameClock = Arrays.equals(kernel, group.broadcast(0, kernel)) && kernel.length > 0;
    long byMeetings = offset(mine.flip(), ByteBuffer.wrap(group.broadcast(0, mine.array())));
    return isSameClock ? 0 : byMeetings;
  }

  /** What Linux tells its start from all others by; empty where there is no such thing. */
  private static byte[] runningKernel() {
    try {
      return Files.readAllBytes(Path.of("/proc/sys/kernel/random/boot_id"));
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /**
   * How far a clock is ahead of another one, by what both said whenever their ranks had met: the
   * median leaves out the times when one came late.
   */
  static long offset(ByteBuffer times, ByteBuffer otherTimes) {
    long[] ahead = new long[times.remaining() / Long.BYTES];
    for (int i = 0; i < ahead.length; i++) {
      ahead[i] = times.getLong() - otherTimes.getLong();
    }
    Arrays.sort(ahead);
    return ahead[ahead.length / 2];
  }
}
