// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import java.util.Arrays;

/**
 * Transfers of one rank in a step, both ways: streams of chunks, each of one route, to or from one
 * rank of another host. Sends are in the order in which they should leave: the fewest hops first,
 * then the nearest host.
 *
 * <p>Filled in again for every step; not thread-safe while it is.
 */
public final class Transfers {
  private final int rank;
  private final Streams sends = new Streams();
  private final Streams receives = new Streams();
  private int[] blocks = new int[0];

  public Transfers(int rank) {
    this.rank = rank;
  }

  /** Finds the transfers of this rank in a step. */
  public void fill(GatherLayout step) {
    sends.clear();
    receives.clear();
    GatherPlan plan = step.plan();
    int host = plan.hosts().hostOf(rank);
    for (int route = 0; route < step.routes(); route++) {
      if (step.owner(host, route) != rank || step.chunks(route) == 0) {
        continue;
      }
      int shard = step.shard(route);
      int part = step.part(route);
      int distance = plan.distance(shard, host);
      if (distance != 0) {
        int parent = plan.schedule().parent(part, distance, plan.hosts().count());
        receives.add(
            route, step.owner(plan.hostAt(shard, parent), route), plan.hops(part, distance));
      }
      for (int child : plan.children(part, distance)) {
        sends.add(route, step.owner(plan.hostAt(shard, child), route), plan.hops(part, child));
      }
    }
    sends.sortByHops();
  }

  /** Finds the transfers of this rank in a summing step. */
  public void fill(SumLayout step) {
    sends.clear();
    receives.clear();
    Hosts hosts = step.plan().hosts();
    int host = hosts.hostOf(rank);
    int count = hosts.count();
    int owned = findOwned(step, hosts, host);
    for (int i = 0; i < owned; i++) {
      for (int distance = 1; distance < count; distance++) {
        int other = (host + distance) % count;
        if (step.travels(other, host, blocks[i])) {
          receives.add(step.route(other, blocks[i]), step.owner(other, blocks[i]), distance);
        }
      }
    }
    // Distance by distance, so that there is nothing to sort: there may be hundreds of thousands.
    for (int distance = 1; distance < count; distance++) {
      int other = (host + distance) % count;
      for (int i = 0; i < owned; i++) {
        if (step.travels(host, other, blocks[i])) {
          sends.add(step.route(host, blocks[i]), step.owner(other, blocks[i]), distance);
        }
      }
    }
  }

  /** Finds the blocks with rows that this rank sends or receives; returns how many there are. */
  private int findOwned(SumLayout step, Hosts hosts, int host) {
    if (blocks.length < hosts.ranks()) {
      blocks = new int[hosts.ranks()];
    }
    int owned = 0;
    for (int block = 0; block < hosts.ranks(); block++) {
      if (step.owner(host, block) == rank && step.chunks(step.route(host, block)) > 0) {
        blocks[owned++] = block;
      }
    }
    return owned;
  }

  public Streams sends() {
    return sends;
  }

  public Streams receives() {
    return receives;
  }

  /** A list of streams. */
  public static final class Streams {
    private int count;
    private int[] route = new int[8];
    private int[] peer = new int[8];
    private int[] hops = new int[8];

    private void clear() {
      count = 0;
    }

    private void add(int newRoute, int newPeer, int newHops) {
      if (count == route.length) {
        route = Arrays.copyOf(route, 2 * count);
        peer = Arrays.copyOf(peer, 2 * count);
        hops = Arrays.copyOf(hops, 2 * count);
      }
      set(count++, newRoute, newPeer, newHops);
    }

    private void set(int index, int newRoute, int newPeer, int newHops) {
      route[index] = newRoute;
      peer[index] = newPeer;
      hops[index] = newHops;
    }

    /** A stable insertion sort: the lists are short and nearly in order. */
    private void sortByHops() {
      for (int i = 1; i < count; i++) {
        int r = route[i];
        int p = peer[i];
        int h = hops[i];
        int j = i;
        for (; j > 0 && hops[j - 1] > h; j--) {
          set(j, route[j - 1], peer[j - 1], hops[j - 1]);
        }
        set(j, r, p, h);
      }
    }

    public int count() {
      return count;
    }

    public int route(int index) {
      return route[index];
    }

    /** The rank at the other end. */
    public int peer(int index) {
      return peer[index];
    }
  }
}
