// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;

/**
 * Layout of one gathering step: where its rows lie and which ranks bring them in. Routes are
 * numbered {@code part * ranks + shard}.
 */
public final class GatherLayout extends Layout {
  private final GatherPlan plan;
  private final long[] begin;
  private final long[] end;
  private final long[] chunkRows;
  private final long[] columnOffset;
  private final int[] owner;
  private final long[] load;

  GatherLayout(GatherPlan plan) {
    super(plan.hosts().ranks(), plan.problem().capacity().maxRows());
    int ranks = plan.hosts().ranks();
    this.plan = plan;
    this.begin = new long[plan.routes()];
    this.end = new long[plan.routes()];
    this.chunkRows = new long[plan.routes()];
    this.columnOffset = columnOffsets(plan.problem(), ranks);
    this.owner = new int[plan.hosts().count() * plan.routes()];
    this.load = new long[ranks];
  }

  /** Where the columns of each rank start in a row, in bytes; the last is the end of the row. */
  private static long[] columnOffsets(GatherProblem problem, int ranks) {
    long[] offsets = new long[ranks + 1];
    for (int rank = 0; problem.isAlongColumns() && rank < ranks; rank++) {
      offsets[rank + 1] = offsets[rank] + problem.columnBytes().get(rank);
    }
    return offsets;
  }

  private boolean isAlongColumns() {
    return plan.problem().isAlongColumns();
  }

  @Override
  boolean areSameRows() {
    return isAlongColumns();
  }

  @Override
  void cut() {
    for (int shard = 0; shard < ranks(); shard++) {
      cut(shard);
    }
    for (int host = 0; host < plan.hosts().count(); host++) {
      assignOwners(host);
    }
  }

  private void cut(int shard) {
    for (int part = 0; part < plan.parts(); part++) {
      int route = route(part, shard);
      begin[route] = firstRow(shard) + rows(shard) * part / plan.parts();
      end[route] = firstRow(shard) + rows(shard) * (part + 1) / plan.parts();
      chunkRows[route] = plan.chunkRows(end[route] - begin[route]);
    }
  }

  /** Spreads the routes into a host over its ranks: to the one with the fewest bytes so far. */
  private void assignOwners(int host) {
    Hosts hosts = plan.hosts();
    for (int i = 0; i < hosts.size(host); i++) {
      load[hosts.member(host, i)] = 0;
    }
    for (int shard = 0; shard < ranks(); shard++) {
      for (int part = 0; part < plan.parts(); part++) {
        int route = route(part, shard);
        int chosen = hosts.hostOf(shard) == host ? shard : leastLoaded(host);
        owner[host * plan.routes() + route] = chosen;
        if (chosen != shard) {
          load[chosen] += (end[route] - begin[route]) * columnBytes(route);
        }
      }
    }
  }

  private int leastLoaded(int host) {
    Hosts hosts = plan.hosts();
    int best = hosts.member(host, 0);
    for (int i = 1; i < hosts.size(host); i++) {
      int candidate = hosts.member(host, i);
      if (load[candidate] < load[best]) {
        best = candidate;
      }
    }
    return best;
  }

  public GatherPlan plan() {
    return plan;
  }

  @Override
  public int routes() {
    return plan.routes();
  }

  /** The ranges of rows that become ready together. */
  public int bands() {
    return plan.bands();
  }

  /** The bands in the order of their rows in A. */
  public int bandAt(int index) {
    return isAlongColumns() ? index : route(index % plan.parts(), index / plan.parts());
  }

  /** The band that a route belongs to. */
  public int band(int route) {
    return isAlongColumns() ? part(route) : route;
  }

  /** How many routes bring the rows of a band. */
  public int bandRoutes() {
    return isAlongColumns() ? ranks() : 1;
  }

  /** A route of a band. */
  public int bandRoute(int band, int index) {
    return isAlongColumns() ? route(band, index) : band;
  }

  /** Any of a band's routes: they have the same rows, cut into the same chunks. */
  private int anyRoute(int band) {
    return bandRoute(band, 0);
  }

  /** The first row of A of a band. */
  public long bandBegin(int band) {
    return begin[anyRoute(band)];
  }

  /** The row of A after the last of a band. */
  public long bandEnd(int band) {
    return end[anyRoute(band)];
  }

  /** The chunks that each route of a band is cut into. */
  public long bandChunks(int band) {
    return chunks(anyRoute(band));
  }

  /** The first row of A of a chunk of a band; of the chunk after the last, the end of the band. */
  public long bandChunkBegin(int band, long chunk) {
    return chunkBegin(anyRoute(band), chunk);
  }

  /** The chunk of a band that a row of A belongs to. */
  public long bandChunk(int band, long row) {
    return (row - bandBegin(band)) / chunkRows[anyRoute(band)];
  }

  /** The slots that the chunks of a band take; only if rows are streamed. */
  public long bandSlots(int band) {
    return Math.ceilDiv(bandChunks(band), slotChunks(band));
  }

  /** How many chunks of a band share a slot; only if rows are streamed. */
  public long slotChunks(int band) {
    return plan.slotChunks(chunkRows[anyRoute(band)]);
  }

  /** The slot, of those that a band takes, that a chunk lies in. */
  public long slot(int band, long chunk) {
    return chunk / slotChunks(band);
  }

  /** How many slots of a band nobody needs who is done with its first chunks. */
  public long slotsDone(int band, long chunks) {
    return chunks == bandChunks(band) ? bandSlots(band) : slot(band, chunks);
  }

  /** The first row of A of a slot; of the slot after the last, the end of the band. */
  public long slotBegin(int band, long slot) {
    return bandChunkBegin(band, slot * slotChunks(band));
  }

  /**
   * Whether the rows of a band are a rank's own and lie in memory of its own: then it needs no
   * slots to read them.
   */
  public boolean isReadFromOwnRows(int band, int rank) {
    return plan.isStreamed() && !isAlongColumns() && shard(band) == rank;
  }

  /** Bytes from the start of a row of A to the part that a route brings. */
  public long columnOffset(int route) {
    return columnOffset[shard(route)];
  }

  @Override
  public long columnBytes(int route) {
    return isAlongColumns()
        ? columnOffset[shard(route) + 1] - columnOffset[shard(route)]
        : plan.problem().rowBytes();
  }

  /** The route of a part of a rank's shard. */
  public int route(int part, int shard) {
    return part * ranks() + shard;
  }

  /** The rank that holds a route's rows to begin with. */
  public int shard(int route) {
    return route % ranks();
  }

  /** The part of its shard that a route brings. */
  public int part(int route) {
    return route / ranks();
  }

  /** The first row of A of a route. */
  public long begin(int route) {
    return begin[route];
  }

  /** The row of A after the last of a route. */
  public long end(int route) {
    return end[route];
  }

  @Override
  public long chunks(int route) {
    return Math.ceilDiv(end[route] - begin[route], chunkRows[route]);
  }

  /** {@inheritDoc} Of the chunk after the last, the end of the route. */
  @Override
  public long chunkBegin(int route, long chunk) {
    return Math.min(end[route], begin[route] + chunk * chunkRows[route]);
  }

  @Override
  public long chunkEnd(int route, long chunk) {
    return chunkBegin(route, chunk + 1);
  }

  /** The rank that brings a route into a host; in the host it comes from, the shard's own. */
  public int owner(int host, int route) {
    return owner[host * plan.routes() + route];
  }

  /** The ranks that a route passes on its way into a host, from the shard's own to the owner. */
  public String way(int host, int route) {
    int shard = shard(route);
    StringBuilder text = new StringBuilder("rank " + owner(host, route));
    int distance = plan.distance(shard, host);
    while (distance != 0) {
      distance = plan.schedule().parent(part(route), distance, plan.hosts().count());
      text.insert(0, "rank " + owner(plan.hostAt(shard, distance), route) + " -> ");
    }
    return text.toString();
  }

  @Override
  public String describe(int route, long fromChunk) {
    return "rows %d-%d of rank %d"
        .formatted(chunkBegin(route, fromChunk), end(route) - 1, shard(route));
  }

  @Override
  public int inFlight() {
    return plan.inFlight();
  }

  private String describeChunks(int route) {
    long chunks = chunks(route);
    return chunks == 1 ? "1 chunk" : "%d chunks of %d rows".formatted(chunks, chunkRows[route]);
  }

  /**
   * The step in a few lines for a person: each rank's rows, its chunks, and who brings them where.
   */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(plan.toString());
    for (int index = 0; index < routes(); index++) {
      int route = route(index % plan.parts(), index / plan.parts());
      if (begin[route] == end[route]) {
        continue;
      }
      text.append(
          "rows %d-%d of rank %d: %s"
              .formatted(begin[route], end[route] - 1, shard(route), describeChunks(route)));
      for (int host = 0; host < plan.hosts().count(); host++) {
        if (plan.hosts().hostOf(shard(route)) != host) {
          text.append("; to host %d: %s".formatted(host, way(host, route)));
        }
      }
      text.append('\n');
    }
    return text.toString();
  }
}
