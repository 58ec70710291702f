// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.stream.IntStream;

/**
 * What is decided for an operator before its first step: {@code Plan = f(Problem, Domains,
 * Tuning)}. Immutable; {@link #step} lays out a step once its row counts are known.
 */
public final class Plan {
  private final Problem problem;
  private final Domains domains;
  private final Tuning tuning;
  private final int parts;
  private final int[][] children;
  private final int[] hops;

  private Plan(Problem problem, Domains domains, Tuning tuning) {
    this.problem = problem;
    this.domains = domains;
    this.tuning = tuning;
    int count = domains.count();
    this.parts = tuning.schedule().parts(count);
    this.children = new int[parts * count][];
    this.hops = new int[parts * count];
    for (int part = 0; part < parts; part++) {
      for (int distance = 0; distance < count; distance++) {
        hops[part * count + distance] = countHops(part, distance);
        children[part * count + distance] = findChildren(part, distance);
      }
    }
  }

  public static Plan of(Problem problem, Domains domains, Tuning tuning) {
    return new Plan(problem, domains, tuning);
  }

  private int countHops(int part, int distance) {
    int hops = 0;
    for (int at = distance; at != 0; at = tuning.schedule().parent(part, at, domains.count())) {
      hops++;
    }
    return hops;
  }

  private int[] findChildren(int part, int parent) {
    return IntStream.range(1, domains.count())
        .filter(d -> tuning.schedule().parent(part, d, domains.count()) == parent)
        .toArray();
  }

  public Problem problem() {
    return problem;
  }

  public Domains domains() {
    return domains;
  }

  public Tuning tuning() {
    return tuning;
  }

  /** Parts that each shard is cut into. */
  public int parts() {
    return parts;
  }

  /** Routes into a domain: one for each part of each shard, also for shards without rows. */
  public int routes() {
    return parts * domains.ranks();
  }

  /** The distance of a domain from the domain that a shard comes from. */
  int distance(int shard, int domain) {
    return Math.floorMod(domain - domains.of(shard), domains.count());
  }

  /** The domain at a distance from the domain that a shard comes from. */
  int domainAt(int shard, int distance) {
    return (domains.of(shard) + distance) % domains.count();
  }

  /** The distances of the domains that the domain at a distance sends a part to, in order. */
  int[] children(int part, int distance) {
    return children[part * domains.count() + distance];
  }

  /** How many transfers a part makes to reach the domain at a distance. */
  int hops(int part, int distance) {
    return hops[part * domains.count() + distance];
  }

  /** A layout for one step after another; {@link StepPlan#lay} fills it in. */
  public StepPlan step() {
    return new StepPlan(this);
  }

  /** The plan in a few lines for a person. */
  @Override
  public String toString() {
    return """
        gather up to %d rows of %d bytes from %s
        schedule %s, chunks %s, %d in flight per route
        """
        .formatted(
            problem.maxRows(),
            problem.rowBytes(),
            domains,
            tuning.schedule().name(),
            tuning.chunking(),
            tuning.inFlight());
  }
}
