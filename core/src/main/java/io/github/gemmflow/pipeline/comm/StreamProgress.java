// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.plan.NextTransfer;
import io.github.gemmflow.plan.Transfers;
import java.util.Arrays;
import java.util.StringJoiner;

/** Progress of the streams of one direction, with the requests that are in flight. */
public final class StreamProgress {
  private Transfers.Streams streams = new Transfers(0).sends();
  private int inFlight;
  private long[] available = new long[0];
  private long[] started = new long[0];
  private long[] finished = new long[0];
  private long[] chunks = new long[0];
  private int[] requests = new int[0];
  private int streamsLeft;
  private int underWay;

  /** Turns to the streams of a step. */
  public void reset(Transfers.Streams newStreams, Layout layout) {
    streams = newStreams;
    inFlight = layout.inFlight();
    int count = streams.count();
    if (available.length < count) {
      available = new long[count];
      started = new long[count];
      finished = new long[count];
      chunks = new long[count];
    }
    if (requests.length < count * inFlight) {
      requests = new int[count * inFlight];
    }
    Arrays.fill(available, 0);
    Arrays.fill(started, 0);
    Arrays.fill(finished, 0);
    streamsLeft = 0;
    underWay = 0;
    for (int stream = 0; stream < count; stream++) {
      chunks[stream] = layout.chunks(route(stream));
      streamsLeft += isLeft(stream) ? 1 : 0;
    }
  }

  /** Whether chunks of a stream are yet to be started. */
  public boolean isLeft(int stream) {
    return started[stream] < chunks[stream];
  }

  /** Says how many chunks of a stream may be started. */
  public void available(int stream, long chunks) {
    available[stream] = chunks;
  }

  /** How many chunks of a stream have been started. */
  public long started(int stream) {
    return started[stream];
  }

  /** How many chunks of a stream are complete, and all before them. */
  public long finished(int stream) {
    return finished[stream];
  }

  public int count() {
    return streams.count();
  }

  public int route(int stream) {
    return streams.route(stream);
  }

  public int peer(int stream) {
    return streams.peer(stream);
  }

  /**
   * The next stream to start a chunk of; negative if there is none.
   *
   * @param from no stream before this one has anything to start
   */
  public int next(int from) {
    return NextTransfer.choose(from, count(), available, started, finished, inFlight);
  }

  /** Where the request of a chunk is kept while it is under way. */
  private int index(int stream, long chunk) {
    return stream * inFlight + (int) (chunk % inFlight);
  }

  public void start(int stream, int request) {
    requests[index(stream, started[stream])] = request;
    started[stream]++;
    underWay++;
    streamsLeft -= isLeft(stream) ? 0 : 1;
  }

  /** All chunks of a stream, none of which was started, have travelled with others. */
  public void complete(int stream) {
    started[stream] = chunks[stream];
    finished[stream] = chunks[stream];
    streamsLeft--;
  }

  /** Looks at the oldest transfers first: only a complete prefix counts. */
  public int finish(Channel channel, int stream) {
    int done = 0;
    while (finished[stream] < started[stream]
        && channel.isDone(requests[index(stream, finished[stream])])) {
      finished[stream]++;
      done++;
    }
    underWay -= done;
    return done;
  }

  public int finish(Channel channel) {
    int done = 0;
    for (int stream = 0; stream < count(); stream++) {
      done += finish(channel, stream);
    }
    return done;
  }

  /** Whether every chunk of every stream is under way or finished. */
  public boolean isAllStarted() {
    return streamsLeft == 0;
  }

  /** How many transfers are under way. */
  public int underWay() {
    return underWay;
  }

  public boolean isIdle() {
    return underWay == 0;
  }

  public void describe(Layout layout, String verb, StringJoiner text) {
    for (int stream = 0; stream < count(); stream++) {
      int route = route(stream);
      if (finished[stream] < chunks[stream]) {
        text.add(
            "%s %s rank %d"
                .formatted(layout.describe(route, finished[stream]), verb, peer(stream)));
      }
    }
  }

  public boolean cancel(Channel channel) {
    boolean clean = true;
    for (int stream = 0; stream < count(); stream++) {
      for (; finished[stream] < started[stream]; finished[stream]++, underWay--) {
        clean &= channel.cancel(requests[index(stream, finished[stream])]);
      }
    }
    return clean;
  }
}
