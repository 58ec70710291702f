// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Explanation.Decision;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decisions for a gathering operator before its first step: {@code GatherPlan = f(GatherProblem,
 * Hosts, Tuning)}. Immutable; {@link #step} lays out a step once its row counts are known.
 */
public final class GatherPlan {
  private final GatherProblem problem;
  private final Hosts hosts;
  private final Tuning tuning;
  private final Rules.Choice<Chunking> chunking;
  private final Rules.Choice<Schedule> schedule;
  private final Rules.Choice<Storage> storage;
  private final Rules.Choice<Overlap> overlap;
  private final int parts;
  private final int[][] children;
  private final int[] hops;

  private GatherPlan(GatherProblem problem, Hosts hosts, Tuning tuning) {
    this.problem = problem;
    this.hosts = hosts;
    this.tuning = tuning;
    int count = hosts.count();
    TriedStep tried = Rules.tried(problem, hosts, tuning);
    this.chunking = Rules.chunking(tuning, tried);
    this.schedule = Rules.schedule(problem, hosts, tuning, chunking.value(), tried);
    this.parts = schedule().parts(count);
    this.storage = Rules.storage(problem, tuning);
    this.overlap = Rules.overlap(storage(), tuning);
    this.children = new int[parts * count][];
    this.hops = new int[parts * count];
    for (int part = 0; part < parts; part++) {
      for (int distance = 0; distance < count; distance++) {
        hops[part * count + distance] = countHops(part, distance);
        children[part * count + distance] = findChildren(part, distance);
      }
    }
  }

  public static GatherPlan of(GatherProblem problem, Hosts hosts, Tuning tuning) {
    return new GatherPlan(problem, hosts, tuning);
  }

  private int countHops(int part, int distance) {
    int hops = 0;
    for (int at = distance; at != 0; at = schedule().parent(part, at, hosts.count())) {
      hops++;
    }
    return hops;
  }

  private int[] findChildren(int part, int parent) {
    return IntStream.range(1, hosts.count())
        .filter(d -> schedule().parent(part, d, hosts.count()) == parent)
        .toArray();
  }

  public GatherProblem problem() {
    return problem;
  }

  public Hosts hosts() {
    return hosts;
  }

  public Tuning tuning() {
    return tuning;
  }

  /** How rows travel between hosts. */
  public Schedule schedule() {
    return schedule.value();
  }

  /** Where rows lie when they arrive. */
  public Storage storage() {
    return storage.value();
  }

  /** When the work on rows begins. */
  public Overlap overlap() {
    return overlap.value();
  }

  public boolean isStreamed() {
    return storage() == Storage.STREAMED;
  }

  /** Parts that each shard is cut into. */
  public int parts() {
    return parts;
  }

  /** Routes into a host: one for each part of each shard, also for shards without rows. */
  public int routes() {
    return parts * hosts.ranks();
  }

  /**
   * Ranges of rows of A that become ready together. Along rows each route is one; along columns the
   * routes of all ranks are, part by part.
   */
  public int bands() {
    return problem.isAlongColumns() ? parts : routes();
  }

  /** The distance of a host from the host that a shard comes from. */
  int distance(int shard, int host) {
    return Math.floorMod(host - hosts.hostOf(shard), hosts.count());
  }

  /** The host at a distance from the host that a shard comes from. */
  int hostAt(int shard, int distance) {
    return (hosts.hostOf(shard) + distance) % hosts.count();
  }

  /** The distances of the hosts that the host at a distance sends a part to, in order. */
  int[] children(int part, int distance) {
    return children[part * hosts.count() + distance];
  }

  /** How many transfers a part makes to reach the host at a distance. */
  int hops(int part, int distance) {
    return hops[part * hosts.count() + distance];
  }

  /** A layout for one step after another; {@link GatherLayout#lay} fills it in. */
  public GatherLayout step() {
    return new GatherLayout(this);
  }

  @Override
  public String toString() {
    return explain().brief();
  }

  /** What was decided and why. */
  public Explanation explain() {
    return new Explanation(
        describeProblem(),
        List.of(
            new Decision("schedule", schedule().name(), schedule.reason()),
            new Decision("storage", storage().toString(), storage.reason()),
            new Decision("overlap", overlap().toString(), overlap.reason()),
            new Decision("chunks", explainSize(), explainChunks())));
  }

  private String describeProblem() {
    return "gather up to %d rows of %d bytes along %s from %s"
        .formatted(
            problem.capacity().maxRows(),
            problem.rowBytes(),
            problem.isAlongColumns() ? "columns" : "rows",
            hosts);
  }

  private String explainSize() {
    return "of up to %d rows, %d in flight per route"
        .formatted(chunkRows(problem.capacity().maxRows()), inFlight());
  }

  private String explainChunks() {
    String reason = chunking.reason();
    return isStreamed()
        ? "%s; they are multiplied in runs of up to %d rows, for which each route has %d slots"
            .formatted(reason, slotRows(), problem.capacity().slots())
        : reason;
  }

  /** The rows of a chunk in a band of so many rows. */
  public long chunkRows(long bandRows) {
    return Rules.chunkRows(
        problem, hosts, chunking.value(), isStreamed() ? Math.min(bandRows, slotRows()) : bandRows);
  }

  /** How many chunks of a route may be under way between two ranks. */
  int inFlight() {
    long rows = chunkRows(problem.capacity().maxRows());
    return ChunkRule.inFlight(tuning, (double) rows * Rules.sentRowBytes(problem, hosts));
  }

  /** How many chunks of so many rows a slot has room for; only if rows are streamed. */
  long slotChunks(long chunkRows) {
    return Math.max(1, slotRows() / chunkRows);
  }

  private long slotRows() {
    return problem.capacity().slotRows(problem.rowBytes());
  }
}
