// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * A record of what the threads of a rank do in the steps of a workspace; see {@code
 * Workspace.record}. Each thread writes to a track of its own, without locks; when a track is full,
 * what comes later is left out. Read it when no step is open.
 */
public final class Timeline {
  private static final int SPANS_PER_TRACK = 1 << 16;

  private final Track comm;
  private final Track[] compute;

  /**
   * An empty one.
   *
   * @param threads how many threads of the rank work on rows
   */
  public Timeline(int threads) {
    this.comm = new Track();
    this.compute = new Track[threads];
    for (int thread = 0; thread < threads; thread++) {
      compute[thread] = new Track();
    }
  }

  /** Writes down a span that ends now. Only the thread itself calls this. */
  public void add(Span.Kind kind, int thread, long begin, long firstRow, long rows) {
    Track track = thread == Span.COMM ? comm : compute[thread];
    track.add(new Span(kind, thread, begin, System.nanoTime(), firstRow, rows));
  }

  /** All spans, thread by thread, each in the order of their ends. */
  public List<Span> spans() {
    List<Span> spans = new ArrayList<>(comm.spans());
    for (Track track : compute) {
      spans.addAll(track.spans());
    }
    return spans;
  }

  /** How many spans were left out. */
  public long leftOut() {
    long sum = comm.leftOut.get();
    for (Track track : compute) {
      sum += track.leftOut.get();
    }
    return sum;
  }

  /** The spans of one thread, which alone adds to them. */
  private static final class Track {
    private final AtomicReferenceArray<Span> spans = new AtomicReferenceArray<>(SPANS_PER_TRACK);

    /** Written after the span that it counts: who reads it may read that. */
    private final AtomicInteger count = new AtomicInteger();

    private final AtomicLong leftOut = new AtomicLong();

    void add(Span span) {
      int next = count.get();
      if (next == spans.length()) {
        leftOut.incrementAndGet();
        return;
      }
      spans.setPlain(next, span);
      count.setRelease(next + 1);
    }

    List<Span> spans() {
      return IntStream.range(0, count.getAcquire()).mapToObj(spans::getPlain).toList();
    }
  }
}
