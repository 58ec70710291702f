// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;

/**
 * First part of a workspace's window, which all kinds of steps share.
 *
 * <pre>
 * counters   headers begun, one per rank
 *            steps passed, one per reader
 *            heartbeats, one per reader
 *            news, one per reader
 * headers    one per rank, of each of the last steps
 * </pre>
 */
public final class StepWindow {
  /** A step is written while slow readers may still read the one before it. */
  public static final int STEPS = 2;

  private final StepHeaders headers;
  private final SlotRing steps;
  private final Heartbeats heartbeats;
  private final News news;

  /** Where the regions start. */
  private record Offsets(long counters, long headers) {
    static Offsets of(WindowCursor cursor, Hosts hosts, int host) {
      int counters = hosts.ranks() + 3 * readers(hosts, host);
      return new Offsets(
          cursor.take(Counters.bytes(counters), WindowCursor.PAGE),
          cursor.take(StepHeaders.bytes(hosts.ranks()), WindowCursor.LINE));
    }
  }

  /**
   * The start of a window.
   *
   * @param cursor where it starts; afterwards, where it ends
   * @param host the host that the window belongs to
   */
  public StepWindow(MemorySegment memory, WindowCursor cursor, Hosts hosts, int host) {
    Offsets offsets = Offsets.of(cursor, hosts, host);
    int ranks = hosts.ranks();
    int readers = readers(hosts, host);
    Counters counters = new Counters(memory, offsets.counters);
    this.headers = new StepHeaders(memory, offsets.headers, ranks, counters, 0);
    this.steps = new SlotRing(counters, ranks, readers, STEPS);
    this.heartbeats = new Heartbeats(counters, ranks + readers, readers);
    this.news = new News(counters, ranks + 2 * readers, readers);
  }

  /** Moves a cursor over what a window needs for this. */
  public static void skip(WindowCursor cursor, Hosts hosts, int host) {
    Offsets.of(cursor, hosts, host);
  }

  /**
   * Each rank of the host reads with its compute lane and, if there are others, its communication
   * thread.
   */
  public static int readers(Hosts hosts, int host) {
    return hosts.size(host) * (hosts.count() > 1 ? 2 : 1);
  }

  public StepHeaders headers() {
    return headers;
  }

  /**
   * The room for steps of any kind; the compute lanes of the host are its first readers, then its
   * communication threads.
   */
  public SlotRing steps() {
    return steps;
  }

  /** Signs of life of the lanes of this host, by reader. */
  public Heartbeats heartbeats() {
    return heartbeats;
  }

  /** What has come in on this host, by the reader that brought it. */
  public News news() {
    return news;
  }
}
