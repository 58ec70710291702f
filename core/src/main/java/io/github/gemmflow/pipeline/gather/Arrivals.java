// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.News;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.NextRun;

/**
 * Rows that have arrived in a gathering step, as a rank knows them. A row counts as arrived only
 * when its chunk is complete, and the headers of the rank that holds it and of the rank that
 * brought it here say that they run the same step.
 */
final class Arrivals {
  private final HostPeers peers;
  private final GatherWindow window;
  private final HeaderCheck headers;
  private final News news;

  Arrivals(HostPeers peers, GatherWindow window, HeaderCheck headers, News news) {
    this.peers = peers;
    this.window = window;
    this.headers = headers;
    this.news = news;
  }

  /** Says that the rows of this rank's own shard are in the window. */
  void publishOwn(GatherStep step) {
    GatherLayout layout = step.layout();
    for (int part = 0; part < layout.plan().parts(); part++) {
      int route = layout.route(part, peers.rank());
      publishOwn(step, route, layout.chunks(route));
    }
  }

  /** Says that the first chunks of a route of this rank's own shard are in the window. */
  void publishOwn(GatherStep step, int route, long chunks) {
    publish(step, route, chunks);
    news.tell(peers.computeReader());
  }

  /** Says that the first chunks of a route are in the window. */
  void publish(GatherStep step, int route, long chunks) {
    window.arrivals().publish(route, step.firstChunk(route) + chunks);
  }

  /** How many chunks of a route are in the window; those of later steps do not count. */
  long chunks(GatherStep step, int route) {
    long arrived = window.arrivals().get(route) - step.firstChunk(route);
    return Math.min(arrived, step.layout().chunks(route));
  }

  /** A number that grows whenever something comes in. */
  long progress() {
    return headers.begunOnThisHost() + news.total();
  }

  /** Whether every reader is done with what a chunk of a route would overwrite. */
  boolean hasRoom(GatherStep step, int route, long chunk) {
    return step.storage().hasRoom(step, route, chunk);
  }

  /**
   * Whether all rows that are missing lack room, so that they come in only as fast as the slowest
   * reader of this host lets go of slots.
   */
  boolean areHeldUp(GatherStep step) {
    GatherLayout layout = step.layout();
    boolean missing = false;
    for (int route = 0; step.storage().hasSlots() && route < layout.routes(); route++) {
      long chunks = Math.max(0, chunks(step, route));
      if (chunks < layout.chunks(route)) {
        if (hasRoom(step, route, chunks)) {
          return false;
        }
        missing = true;
      }
    }
    return missing;
  }

  /** Whether a rank has not begun the step, or rows of it are not there. */
  boolean isMissing(GatherStep step, int rank) {
    if (!headers.isThere(step.open(), rank)) {
      return true;
    }
    GatherLayout layout = step.layout();
    for (int part = 0; part < layout.plan().parts(); part++) {
      int route = layout.route(part, rank);
      if (chunks(step, route) < layout.chunks(route)) {
        return true;
      }
    }
    return false;
  }

  /** Whether none of the ranks that are missing is on another host. */
  boolean areAllMissingOnThisHost(GatherStep step) {
    for (int rank = 0; rank < peers.hosts().ranks(); rank++) {
      if (peers.hosts().hostOf(rank) != peers.host() && isMissing(step, rank)) {
        return false;
      }
    }
    return true;
  }

  /** The bytes that are yet to come, of those that this rank receives from other hosts. */
  long bytesToReceive(GatherStep step) {
    GatherLayout layout = step.layout();
    long bytes = 0;
    for (int route = 0; route < layout.routes(); route++) {
      boolean remote = peers.hosts().hostOf(layout.shard(route)) != peers.host();
      if (remote && layout.owner(peers.host(), route) == peers.rank()) {
        long firstMissing = layout.chunkBegin(route, Math.max(0, chunks(step, route)));
        bytes += (layout.end(route) - firstMissing) * layout.columnBytes(route);
      }
    }
    return bytes;
  }

  /** Tells the compute lane which rows are ready. */
  void update(GatherStep step, NextRun runs) {
    GatherLayout layout = step.layout();
    for (int band = 0; band < layout.bands(); band++) {
      if (runs.ready(band) < layout.bandEnd(band)) {
        runs.ready(band, ready(step, band));
      }
    }
  }

  /** Up to which row of A the rows of a band are there, in all columns. */
  private long ready(GatherStep step, int band) {
    GatherLayout layout = step.layout();
    if (layout.isReadFromOwnRows(band, peers.rank())) {
      return layout.bandEnd(band);
    }
    long ready = layout.bandEnd(band);
    for (int i = 0; i < layout.bandRoutes(); i++) {
      int route = layout.bandRoute(band, i);
      // Who holds the rows says what they are; who brings them in decided where they lie.
      boolean verified =
          headers.verify(step.open(), layout.shard(route))
              && headers.verify(step.open(), layout.owner(peers.host(), route));
      long chunks = verified ? chunks(step, route) : 0;
      ready = Math.min(ready, layout.chunkBegin(route, chunks));
    }
    return ready;
  }
}
