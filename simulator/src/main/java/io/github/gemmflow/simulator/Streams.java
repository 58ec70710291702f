// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.plan.NextTransfer;
import io.github.gemmflow.plan.Transfers;
import java.util.Arrays;
import java.util.function.IntConsumer;

/** Progress of the streams of chunks that a rank sends. */
final class Streams {
  private final Transfers.Streams streams;
  private final int inFlight;
  private final long[] available;
  private final long[] started;
  private final long[] finished;

  /** The streams, each with its route in the upper half, in the order of routes. */
  private final long[] byRoute;

  /** No stream before this one has a chunk to start. */
  private int first;

  Streams(Transfers.Streams streams, int inFlight) {
    this.streams = streams;
    this.inFlight = inFlight;
    this.available = new long[streams.count()];
    this.started = new long[streams.count()];
    this.finished = new long[streams.count()];
    this.byRoute = new long[streams.count()];
    for (int i = 0; i < byRoute.length; i++) {
      byRoute[i] = (long) streams.route(i) << Integer.SIZE | i;
    }
    Arrays.sort(byRoute);
  }

  /** Goes through the streams of a route. */
  void ofRoute(int route, IntConsumer action) {
    long from = (long) route << Integer.SIZE;
    int at = Arrays.binarySearch(byRoute, from);
    for (int i = at < 0 ? -at - 1 : at; i < byRoute.length; i++) {
      if (byRoute[i] >>> Integer.SIZE != route) {
        return;
      }
      action.accept((int) byRoute[i]);
    }
  }

  int count() {
    return streams.count();
  }

  int route(int stream) {
    return streams.route(stream);
  }

  int peer(int stream) {
    return streams.peer(stream);
  }

  void available(int stream, long chunks) {
    available[stream] = chunks;
    noteStartable(stream);
  }

  /** A stream without chunks to start would be scanned from at each event, in vain. */
  private void noteStartable(int stream) {
    if (started[stream] < available[stream]) {
      first = Math.min(first, stream);
    }
  }

  /** The next stream to send a chunk of; negative if there is none. */
  int next() {
    int next = NextTransfer.choose(first, count(), available, started, finished, inFlight);
    first = next < 0 ? count() : next;
    return next;
  }

  /** Starts the next chunk of a stream; returns its number. */
  long start(int stream) {
    return started[stream]++;
  }

  void finish(int stream) {
    finished[stream]++;
    noteStartable(stream);
  }

  long finished(int stream) {
    return finished[stream];
  }
}
