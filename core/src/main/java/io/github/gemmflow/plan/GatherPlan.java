// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Chunking;
import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Explanation.Decision;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decisions for a gathering operator before its first step: {@code GatherPlan = f(GatherProblem,
 * Domains, Tuning)}. Immutable; {@link #step} lays out a step once its row counts are known.
 */
public final class GatherPlan {
  private final GatherProblem problem;
  private final Domains domains;
  private final Tuning tuning;
  private final Rules.Choice<Chunking> chunking;
  private final Rules.Choice<Schedule> schedule;
  private final Rules.Choice<Storage> storage;
  private final Rules.Choice<Overlap> overlap;
  private final int parts;
  private final int[][] children;
  private final int[] hops;

  private GatherPlan(GatherProblem problem, Domains domains, Tuning tuning) {
    this.problem = problem;
    this.domains = domains;
    this.tuning = tuning;
    int count = domains.count();
    TriedStep tried = Rules.tried(problem, domains, tuning);
    this.chunking = Rules.chunking(tuning, tried);
    this.schedule = Rules.schedule(problem, domains, tuning, chunking.value(), tried);
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

  public static GatherPlan of(GatherProblem problem, Domains domains, Tuning tuning) {
    return new GatherPlan(problem, domains, tuning);
  }

  private int countHops(int part, int distance) {
    int hops = 0;
    for (int at = distance; at != 0; at = schedule().parent(part, at, domains.count())) {
      hops++;
    }
    return hops;
  }

  private int[] findChildren(int part, int parent) {
    return IntStream.range(1, domains.count())
        .filter(d -> schedule().parent(part, d, domains.count()) == parent)
        .toArray();
  }

  public GatherProblem problem() {
    return problem;
  }

  public Domains domains() {
    return domains;
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

  /** Routes into a domain: one for each part of each shard, also for shards without rows. */
  public int routes() {
    return parts * domains.ranks();
  }

  /**
   * Ranges of rows of A that become ready together. Along rows each route is one; along columns the
   * routes of all ranks are, part by part.
   */
  public int bands() {
    return problem.isAlongColumns() ? parts : routes();
  }

  /** The distance of a domain from the domain that a shard comes from. */
  int distance(int shard, int domain) {
    return Math.floorMod(domain - domains.domainOf(shard), domains.count());
  }

  /** The domain at a distance from the domain that a shard comes from. */
  int domainAt(int shard, int distance) {
    return (domains.domainOf(shard) + distance) % domains.count();
  }

  /** The distances of the domains that the domain at a distance sends a part to, in order. */
  int[] children(int part, int distance) {
    return children[part * domains.count() + distance];
  }

  /** How many transfers a part makes to reach the domain at a distance. */
  int hops(int part, int distance) {
    return hops[part * domains.count() + distance];
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
            domains);
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
        problem,
        domains,
        chunking.value(),
        isStreamed() ? Math.min(bandRows, slotRows()) : bandRows);
  }

  /** How many chunks of a route may be under way between two ranks. */
  int inFlight() {
    long rows = chunkRows(problem.capacity().maxRows());
    return ChunkRule.inFlight(tuning, (double) rows * Rules.sentRowBytes(problem, domains));
  }

  /** How many chunks of so many rows a slot has room for; only if rows are streamed. */
  long slotChunks(long chunkRows) {
    return Math.max(1, slotRows() / chunkRows);
  }

  private long slotRows() {
    return problem.capacity().slotRows(problem.rowBytes());
  }
}
