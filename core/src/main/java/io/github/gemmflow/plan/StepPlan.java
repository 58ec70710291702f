// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.Arrays;

/**
 * Where the rows of one step lie and which ranks bring them in. All ranks of a group compute the
 * same one from the same row counts.
 *
 * <p>Routes are numbered {@code part * ranks + shard}. Sized once and filled in again for every
 * step, so that a step creates no garbage; not thread-safe while it is filled in.
 */
public final class StepPlan {
  private final Plan plan;
  private final long[] rows;
  private final long[] firstRow;
  private final long[] begin;
  private final long[] end;
  private final long[] chunkRows;
  private final long[] columnOffset;
  private final int[] owner;
  private final long[] load;
  private long countsHash;
  private boolean laid;

  StepPlan(Plan plan) {
    int ranks = plan.domains().ranks();
    this.plan = plan;
    this.rows = new long[ranks];
    this.firstRow = new long[ranks + 1];
    this.begin = new long[plan.routes()];
    this.end = new long[plan.routes()];
    this.chunkRows = new long[plan.routes()];
    this.columnOffset = columnOffsets(plan.problem(), ranks);
    this.owner = new int[plan.domains().count() * plan.routes()];
    this.load = new long[ranks];
  }

  /** Where the columns of each rank start in a row, in bytes; the last is the end of the row. */
  private static long[] columnOffsets(Problem problem, int ranks) {
    long[] offsets = new long[ranks + 1];
    for (int rank = 0; problem.isAlongColumns() && rank < ranks; rank++) {
      offsets[rank + 1] = offsets[rank] + problem.columnBytes().get(rank);
    }
    return offsets;
  }

  private boolean isAlongColumns() {
    return plan.problem().isAlongColumns();
  }

  /**
   * Lays out a step.
   *
   * @param rowsPerRank the rows that each rank holds
   */
  public void lay(long[] rowsPerRank) {
    if (laid && Arrays.equals(rows, rowsPerRank)) {
      return;
    }
    check(rowsPerRank);
    System.arraycopy(rowsPerRank, 0, rows, 0, rows.length);
    for (int shard = 0; shard < rows.length; shard++) {
      firstRow[shard + 1] = isAlongColumns() ? 0 : firstRow[shard] + rows[shard];
      cut(shard);
    }
    for (int domain = 0; domain < plan.domains().count(); domain++) {
      assignOwners(domain);
    }
    countsHash = hash(rows);
    laid = true;
  }

  private void check(long[] rowsPerRank) {
    if (rowsPerRank.length != rows.length) {
      throw new IllegalArgumentException(
          "a step needs a row count for each of the %d ranks of the group, not %s"
              .formatted(rows.length, Arrays.toString(rowsPerRank)));
    }
    long total = 0;
    for (int rank = 0; rank < rowsPerRank.length; rank++) {
      if (rowsPerRank[rank] < 0) {
        throw new IllegalArgumentException(
            "rank %d cannot hold %d rows".formatted(rank, rowsPerRank[rank]));
      }
      // Counts are not negative, so a sum that is has overflowed.
      total = total < 0 ? total : total + rowsPerRank[rank];
    }
    if (isAlongColumns()) {
      checkEqual(rowsPerRank);
      total = rowsPerRank[0];
    }
    long most = plan.problem().capacity().maxRows();
    if (total < 0 || total > most) {
      throw new IllegalArgumentException(
          "the rows of the step %s are more than the workspace was opened for, %d"
              .formatted(Arrays.toString(rowsPerRank), most));
    }
  }

  private static void checkEqual(long[] rowsPerRank) {
    for (long count : rowsPerRank) {
      if (count != rowsPerRank[0]) {
        throw new IllegalArgumentException(
            "along columns every rank gives a part of the same rows, not %s"
                .formatted(Arrays.toString(rowsPerRank)));
      }
    }
  }

  private void cut(int shard) {
    for (int part = 0; part < plan.parts(); part++) {
      int route = route(part, shard);
      begin[route] = firstRow[shard] + rows[shard] * part / plan.parts();
      end[route] = firstRow[shard] + rows[shard] * (part + 1) / plan.parts();
      chunkRows[route] = plan.chunkRows(end[route] - begin[route]);
    }
  }

  /** Spreads the routes into a domain over its ranks: to the one with the fewest bytes so far. */
  private void assignOwners(int domain) {
    Domains domains = plan.domains();
    for (int i = 0; i < domains.size(domain); i++) {
      load[domains.member(domain, i)] = 0;
    }
    for (int shard = 0; shard < rows.length; shard++) {
      for (int part = 0; part < plan.parts(); part++) {
        int route = route(part, shard);
        int chosen = domains.of(shard) == domain ? shard : leastLoaded(domain);
        owner[domain * plan.routes() + route] = chosen;
        if (chosen != shard) {
          load[chosen] += (end[route] - begin[route]) * columnBytes(route);
        }
      }
    }
  }

  private int leastLoaded(int domain) {
    Domains domains = plan.domains();
    int best = domains.member(domain, 0);
    for (int i = 1; i < domains.size(domain); i++) {
      int candidate = domains.member(domain, i);
      if (load[candidate] < load[best]) {
        best = candidate;
      }
    }
    return best;
  }

  public Plan plan() {
    return plan;
  }

  /** Rows of A over all ranks. */
  public long totalRows() {
    return isAlongColumns() ? rows[0] : firstRow[rows.length];
  }

  /** A hash of the row counts of all ranks; never 0. */
  public long countsHash() {
    return countsHash;
  }

  private static long hash(long[] counts) {
    long hash = 1;
    for (long count : counts) {
      hash = (hash ^ count) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash == 0 ? 1 : hash;
  }

  /** The rows that a rank holds. */
  public long rows(int rank) {
    return rows[rank];
  }

  /** Where the rows of a rank start in A. */
  public long firstRow(int rank) {
    return firstRow[rank];
  }

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
    return isAlongColumns() ? rows.length : 1;
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

  /**
   * Whether the rows of a band are a rank's own and lie in memory of its own: then it needs no
   * slots to read them.
   */
  public boolean isReadAtHome(int band, int rank) {
    return plan.isStreamed() && !isAlongColumns() && shard(band) == rank;
  }

  /** Bytes from the start of a row of A to the part that a route brings. */
  public long columnOffset(int route) {
    return columnOffset[shard(route)];
  }

  /** Bytes of the part of a row that a route brings. */
  public long columnBytes(int route) {
    return isAlongColumns()
        ? columnOffset[shard(route) + 1] - columnOffset[shard(route)]
        : plan.problem().rowBytes();
  }

  /** The route of a part of a rank's shard. */
  public int route(int part, int shard) {
    return part * rows.length + shard;
  }

  /** The rank that holds a route's rows to begin with. */
  public int shard(int route) {
    return route % rows.length;
  }

  /** The part of its shard that a route brings. */
  public int part(int route) {
    return route / rows.length;
  }

  /** The first row of A of a route. */
  public long begin(int route) {
    return begin[route];
  }

  /** The row of A after the last of a route. */
  public long end(int route) {
    return end[route];
  }

  /** The chunks of a route. */
  public long chunks(int route) {
    return Math.ceilDiv(end[route] - begin[route], chunkRows[route]);
  }

  /** The first row of A of a chunk; of the chunk after the last, the end of the route. */
  public long chunkBegin(int route, long chunk) {
    return Math.min(end[route], begin[route] + chunk * chunkRows[route]);
  }

  /** The rank that brings a route into a domain; in the domain it comes from, the shard's own. */
  public int owner(int domain, int route) {
    return owner[domain * plan.routes() + route];
  }

  /** The ranks that a route passes on its way into a domain, from the shard's own to the owner. */
  public String way(int domain, int route) {
    int shard = shard(route);
    StringBuilder text = new StringBuilder("rank " + owner(domain, route));
    int distance = plan.distance(shard, domain);
    while (distance != 0) {
      distance = plan.schedule().parent(part(route), distance, plan.domains().count());
      text.insert(0, "rank " + owner(plan.domainAt(shard, distance), route) + " -> ");
    }
    return text.toString();
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
      for (int domain = 0; domain < plan.domains().count(); domain++) {
        if (plan.domains().of(shard(route)) != domain) {
          text.append("; to host %d: %s".formatted(domain, way(domain, route)));
        }
      }
      text.append('\n');
    }
    return text.toString();
  }
}
