// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Schedule;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.HostCosts;
import io.github.gemmflow.tuning.cost.LinkCosts;

/**
 * Time that rows or sums take between hosts, predicted from costs in a few operations; what is done
 * with them is not part of it. The rules choose by it: it is the same for all that they choose
 * from.
 *
 * @param hosts of which ranks share a host
 */
record TravelTime(Hosts hosts, CostModel costs) {
  /**
   * The time of a gather.
   *
   * @param bytes of all rows
   * @param chunkBytes that travel together
   */
  double gatherNanos(Schedule schedule, double bytes, double chunkBytes) {
    int count = hosts.count();
    double into = bytes * (count - 1) / count;
    double busy = busyNanos(into, Math.max(1, Math.min(chunkBytes, into)));
    // What comes last passes hosts on its way, each of which must have a whole chunk first.
    return busy + depth(schedule) * hopNanos(Math.min(chunkBytes, bytes));
  }

  /** The most transfers that a chunk makes. */
  private int depth(Schedule schedule) {
    int count = hosts.count();
    int deepest = 0;
    for (int part = 0; part < schedule.parts(count); part++) {
      for (int distance = 1; distance < count; distance++) {
        int hops = 0;
        for (int at = distance; at != 0; at = schedule.parent(part, at, count)) {
          hops++;
        }
        deepest = Math.max(deepest, hops);
      }
    }
    return deepest;
  }

  private double hopNanos(double bytes) {
    LinkCosts link = costs.link();
    HostCosts host = costs.host();
    return link.latencyNanos()
        + 2 * host.messageNanos()
        + bytes * (link.nanosPerByte() + 2 * host.carryNanosPerByte());
  }

  /** How long links and communication threads are busy with what comes into a host. */
  private double busyNanos(double into, double chunkBytes) {
    HostCosts host = costs.host();
    double perRank = into / Math.max(1, hosts.ranks() / hosts.count());
    double messages = perRank / chunkBytes;
    // A rank sends as much as it receives.
    double thread = 2 * (messages * host.messageNanos() + perRank * host.carryNanosPerByte());
    return Math.max(into * costs.link().nanosPerByte(), thread);
  }

  /** The time in which each host sends its sums of so many bytes to every other one. */
  double directNanos(double bytes, double chunkBytes) {
    return busyNanos(bytes * (hosts.count() - 1), chunkBytes) + hopNanos(0);
  }

  /** The time in which each host adds up its part of the rows for all, and sends it to them. */
  double stagedNanos(double wireBytes, double totalBytes, double chunkBytes) {
    int count = hosts.count();
    double share = (count - 1.0) / count;
    return busyNanos(wireBytes * share, chunkBytes)
        + busyNanos(totalBytes * share, chunkBytes)
        + 2 * hopNanos(0)
        + costs.host().wakeNanos();
  }
}
