// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.Patience;
import io.github.gemmflow.plan.Slots;
import io.github.gemmflow.plan.Transfers;
import io.github.gemmflow.trace.Span;

/**
 * A gathering step in virtual time. Its ranks choose runs as real ones do; whoever streams rows
 * waits for slots, and gets its own rows to the others of its host through them.
 */
final class GatherSimulation extends StepSimulation {
  private final GatherLayout layout;
  private final RowCosts work;
  private final NextRun[] runs;
  private final Patience[] patience;

  /** Chunks of a band that a rank has done with; only if rows are streamed. */
  private final long[][] passed;

  /** Chunks of its own routes that ranks have put into slots; only if others read them there. */
  private final long[] fed;

  private final long[] bytesToCome;
  private final double nanosPerByte;

  GatherSimulation(
      GatherLayout layout,
      RowCosts work,
      Conditions conditions,
      Network network,
      boolean recorded) {
    super(layout, layout.plan().hosts(), conditions, network, recorded);
    this.layout = layout;
    this.work = work;
    this.nanosPerByte = conditions.costs().link().nanosPerByte();
    int ranks = hosts().ranks();
    this.runs = new NextRun[ranks];
    this.patience = new Patience[ranks];
    this.passed = isStreamed() ? new long[ranks][layout.bands()] : new long[0][];
    this.fed = new long[layout.routes()];
    this.bytesToCome = new long[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      runs[rank] = new NextRun(rank, layout.bands());
      runs[rank].reset(layout);
      patience[rank] = new Patience();
      patience[rank].reset();
      readyOnThisHost(rank);
    }
    for (int host = 0; host < hosts().count(); host++) {
      for (int route = 0; route < layout.routes(); route++) {
        if (hosts().hostOf(layout.shard(route)) != host) {
          bytesToCome[layout.owner(host, route)] += layout.bytes(route, 0, layout.chunks(route));
        }
      }
    }
  }

  private boolean isStreamed() {
    return layout.plan().isStreamed();
  }

  /** Rows of this host are there from the beginning, unless they come through slots. */
  private void readyOnThisHost(int rank) {
    for (int route = 0; route < layout.routes(); route++) {
      int shard = layout.shard(route);
      boolean isHere = hosts().hostOf(shard) == hosts().hostOf(rank);
      if (isHere && (!isStreamed() || shard == rank)) {
        ready(rank, layout.band(route));
      }
    }
  }

  private void ready(int rank, int band) {
    long chunks = Long.MAX_VALUE;
    for (int i = 0; i < layout.bandRoutes(); i++) {
      chunks = Math.min(chunks, there(rank, layout.bandRoute(band, i)));
    }
    runs[rank].ready(band, layout.bandChunkBegin(band, chunks));
  }

  /** How many chunks of a route a rank can read. */
  private long there(int rank, int route) {
    int host = hosts().hostOf(rank);
    int shard = layout.shard(route);
    if (hosts().hostOf(shard) != host) {
      return arrived(host, route);
    }
    boolean throughSlots = isStreamed() && shard != rank;
    return throughSlots ? fed[route] : layout.chunks(route);
  }

  @Override
  void fill(Transfers transfers) {
    transfers.fill(layout);
  }

  @Override
  long sendable(int rank, int route) {
    return layout.shard(route) == rank
        ? layout.chunks(route)
        : arrived(hosts().hostOf(rank), route);
  }

  @Override
  long receivable(int host, int route) {
    if (!isStreamed()) {
      return layout.chunks(route);
    }
    return Math.min(layout.chunks(route), firstWithoutRoom(host, layout.band(route)));
  }

  /** The first chunk of a band that has to wait for a slot of a host. */
  private long firstWithoutRoom(int host, int band) {
    long slowest = Long.MAX_VALUE;
    for (int i = 0; i < hosts().size(host); i++) {
      int rank = hosts().member(host, i);
      if (!layout.isReadFromOwnRows(band, rank)) {
        slowest = Math.min(slowest, passed[rank][band]);
      }
      slowest = Math.min(slowest, forwarded(rank, band));
    }
    if (slowest == Long.MAX_VALUE) {
      return slowest;
    }
    int slots = layout.plan().problem().capacity().slots();
    return Slots.filledUpTo(layout.slotsDone(band, slowest), slots) * layout.slotChunks(band);
  }

  /** How many chunks of a band a rank has passed on to other hosts; all, if it passes on none. */
  private long forwarded(int rank, int band) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < sends(rank).count(); i++) {
      int route = sends(rank).route(i);
      if (layout.band(route) == band && layout.shard(route) != rank) {
        least = Math.min(least, sends(rank).finished(i));
      }
    }
    return least;
  }

  @Override
  void news(int rank, int route) {
    int host = hosts().hostOf(rank);
    if (layout.owner(host, route) == rank && hosts().hostOf(layout.shard(route)) != host) {
      long chunk = arrived(host, route) - 1;
      bytesToCome[rank] -= layout.bytes(route, chunk, chunk + 1);
    }
    ready(rank, layout.band(route));
  }

  @Override
  void sent(int rank, int stream) {
    if (isStreamed()) {
      sendersInto(hosts().hostOf(rank));
    }
  }

  /** There may be room on a host: everybody who sends to it looks. */
  private void sendersInto(int host) {
    for (int rank = 0; rank < hosts().ranks(); rank++) {
      if (hosts().hostOf(rank) == host) {
        wake(rank);
      } else {
        send(rank);
      }
    }
  }

  @Override
  void work(int rank) {
    if (feed(rank)) {
      return;
    }
    long now = queue().now();
    NextRun mine = runs[rank];
    long runNanos = Math.round(work.runNanos(rank));
    NextRun.Soon soon = patience[rank].soon(now, runNanos, () -> bytesToCome[rank] * nanosPerByte);
    boolean chosen = mine.choose(layout, work.worthwhileRows(), soon);
    patience[rank].note(now, chosen, mine.isPatient());
    if (chosen) {
      long rows = mine.end() - mine.begin();
      int band = mine.band();
      rank(rank)
          .work(Span.Kind.WORK, work.nanos(rank, rows), mine.begin(), rows, () -> done(rank, band));
    } else if (mine.allTaken(layout) && isFed(rank)) {
      rank(rank).finish();
    } else if (mine.isPatient()) {
      queue().at(now + Math.max(1, patience[rank].left(now, runNanos)), () -> wake(rank));
    }
  }

  private void done(int rank, int band) {
    if (isStreamed() && !layout.isReadFromOwnRows(band, rank)) {
      long taken = runs[rank].taken(band);
      passed[rank][band] =
          taken == layout.bandEnd(band) ? layout.bandChunks(band) : layout.bandChunk(band, taken);
      sendersInto(hosts().hostOf(rank));
    }
    work(rank);
  }

  private boolean feeds(int rank) {
    return isStreamed() && hosts().size(hosts().hostOf(rank)) > 1;
  }

  private boolean isFed(int rank) {
    for (int part = 0; feeds(rank) && part < layout.plan().parts(); part++) {
      int route = layout.route(part, rank);
      if (fed[route] < layout.chunks(route)) {
        return false;
      }
    }
    return true;
  }

  /** Puts the next chunk of a rank's own rows into a slot, if others wait for it. */
  private boolean feed(int rank) {
    int host = hosts().hostOf(rank);
    for (int part = 0; feeds(rank) && part < layout.plan().parts(); part++) {
      int route = layout.route(part, rank);
      boolean isLeft = fed[route] < layout.chunks(route);
      if (isLeft && fed[route] < firstWithoutRoom(host, layout.band(route))) {
        feedRoute(rank, route);
        return true;
      }
    }
    return false;
  }

  private void feedRoute(int rank, int route) {
    long bytes = layout.bytes(route, fed[route], fed[route] + 1);
    rank(rank)
        .work(
            Span.Kind.ADD,
            2 * bytes * costs().addNanosPerByte(),
            layout.chunkBegin(route, fed[route]),
            0,
            () -> {
              fed[route]++;
              tell(hosts().hostOf(rank), route);
              work(rank);
            });
  }
}
