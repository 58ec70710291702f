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
  private int[] requests = new int[0];

  public void reset(Transfers.Streams newStreams, int newInFlight) {
    streams = newStreams;
    inFlight = newInFlight;
    int count = streams.count();
    if (available.length < count) {
      available = new long[count];
      started = new long[count];
      finished = new long[count];
    }
    if (requests.length < count * inFlight) {
      requests = new int[count * inFlight];
    }
    Arrays.fill(available, 0);
    Arrays.fill(started, 0);
    Arrays.fill(finished, 0);
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

  /** The next stream to start a chunk of; negative if there is none. */
  public int next() {
    return NextTransfer.choose(count(), available, started, finished, inFlight);
  }

  /** Where the request of a chunk is kept while it is under way. */
  private int index(int stream, long chunk) {
    return stream * inFlight + (int) (chunk % inFlight);
  }

  public void start(int stream, int request) {
    requests[index(stream, started[stream])] = request;
    started[stream]++;
  }

  /** All chunks of a stream have travelled with others. */
  public void complete(int stream, long chunks) {
    started[stream] = chunks;
    finished[stream] = chunks;
  }

  /** Looks at the oldest transfers first: only a complete prefix counts. */
  public int finish(Channel channel, int stream) {
    int done = 0;
    while (finished[stream] < started[stream]
        && channel.isDone(requests[index(stream, finished[stream])])) {
      finished[stream]++;
      done++;
    }
    return done;
  }

  public int finish(Channel channel) {
    int done = 0;
    for (int stream = 0; stream < count(); stream++) {
      done += finish(channel, stream);
    }
    return done;
  }

  public boolean isAllStarted(Layout layout) {
    for (int stream = 0; stream < count(); stream++) {
      if (started[stream] < layout.chunks(route(stream))) {
        return false;
      }
    }
    return true;
  }

  /** How many transfers are under way. */
  public int underWay() {
    int count = 0;
    for (int stream = 0; stream < count(); stream++) {
      count += (int) (started[stream] - finished[stream]);
    }
    return count;
  }

  public boolean isIdle() {
    return Arrays.equals(started, finished);
  }

  public void describe(Layout layout, String verb, StringJoiner text) {
    for (int stream = 0; stream < count(); stream++) {
      int route = route(stream);
      if (finished[stream] < layout.chunks(route)) {
        text.add(
            "%s %s rank %d"
                .formatted(layout.describe(route, finished[stream]), verb, peer(stream)));
      }
    }
  }

  public boolean cancel(Channel channel) {
    boolean clean = true;
    for (int stream = 0; stream < count(); stream++) {
      for (; finished[stream] < started[stream]; finished[stream]++) {
        clean &= channel.cancel(requests[index(stream, finished[stream])]);
      }
    }
    return clean;
  }
}
