// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;

/**
 * Traffic of a step into and out of each host, without headers. Counted host by host and not rank
 * by rank, so that a plan for thousands of ranks can be summed up at once.
 */
public final class HostTraffic {
  private final long[] bytesIn;
  private final long[] bytesOut;
  private final long[] chunksIn;
  private final long[] chunksOut;

  private HostTraffic(int hosts) {
    this.bytesIn = new long[hosts];
    this.bytesOut = new long[hosts];
    this.chunksIn = new long[hosts];
    this.chunksOut = new long[hosts];
  }

  /** Load of one route. */
  private record Load(long bytes, long chunks) {
    static Load of(Layout step, int route) {
      long chunks = step.chunks(route);
      return new Load(step.bytes(route, 0, chunks), chunks);
    }
  }

  /** The traffic of a step that gathers. */
  public static HostTraffic of(GatherLayout step) {
    GatherPlan plan = step.plan();
    int hosts = plan.hosts().count();
    HostTraffic traffic = new HostTraffic(hosts);
    for (int route = 0; route < step.routes(); route++) {
      Load load = Load.of(step, route);
      int shard = step.shard(route);
      for (int distance = 1; distance < hosts; distance++) {
        int parent = plan.schedule().parent(step.part(route), distance, hosts);
        traffic.receive(plan.hostAt(shard, distance), load, 1);
        traffic.send(plan.hostAt(shard, parent), load, 1);
      }
    }
    return traffic;
  }

  /** The traffic of a step that sums. */
  public static HostTraffic of(SumLayout step) {
    Hosts hosts = step.plan().hosts();
    int count = hosts.count();
    HostTraffic traffic = new HostTraffic(count);
    // Hosts where a block is not at home send it to each other only if all send to all.
    int among = step.isStriped() && !step.isStaged() ? count - 2 : 0;
    for (int block = 0; block < hosts.ranks(); block++) {
      int home = step.home(block);
      Load fromHome = Load.of(step, step.route(home, block));
      Load toHome = Load.of(step, step.route((home + 1) % count, block));
      for (int distance = 1; distance < count; distance++) {
        int host = (home + distance) % count;
        int back = step.travels(home, host, block) ? 1 : 0;
        traffic.send(host, toHome, 1 + among);
        traffic.receive(host, toHome, among);
        traffic.receive(home, toHome, 1);
        traffic.send(home, fromHome, back);
        traffic.receive(host, fromHome, back);
      }
    }
    return traffic;
  }

  private void send(int host, Load load, int times) {
    bytesOut[host] += times * load.bytes();
    chunksOut[host] += times * load.chunks();
  }

  private void receive(int host, Load load, int times) {
    bytesIn[host] += times * load.bytes();
    chunksIn[host] += times * load.chunks();
  }

  /** Bytes that a host receives. */
  public long bytesIn(int host) {
    return bytesIn[host];
  }

  /** Bytes that a host sends. */
  public long bytesOut(int host) {
    return bytesOut[host];
  }

  /** Chunks that a host receives; each is a message, unless it comes with a header. */
  public long chunksIn(int host) {
    return chunksIn[host];
  }

  /** Chunks that a host sends; each is a message, unless it travels with a header. */
  public long chunksOut(int host) {
    return chunksOut[host];
  }
}
