// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.tuning.cost.LinkCosts;
import java.util.Random;

/**
 * Links between hosts. Each host has one, which its ranks share, with a rate of its own either way;
 * a message passes on at the far end while it still comes in at the near one.
 */
final class Network {
  /** The limit of Open MPI and MPICH for TCP. */
  private static final long MOST_WITHOUT_ASKING = 64 << 10;

  private final LinkCosts costs;
  private final double jitter;
  private final Random random;
  private final double[] outFreeAt;
  private final double[] inFreeAt;
  private final long[] bytesOut;
  private final long[] bytesIn;

  Network(int hosts, Conditions conditions) {
    this.costs = conditions.costs().link();
    this.jitter = conditions.jitter();
    this.random = new Random(conditions.seed());
    this.outFreeAt = new double[hosts];
    this.inFreeAt = new double[hosts];
    this.bytesOut = new long[hosts];
    this.bytesIn = new long[hosts];
  }

  /**
   * When a message that is handed over now has left its host; takes the link until then. A long one
   * asks the receiver first, whose answer stands in line behind what that sends.
   */
  double depart(int from, int to, double now, long bytes) {
    double answered =
        bytes <= MOST_WITHOUT_ASKING
            ? now
            : Math.max(now, outFreeAt[to]) + 2 * costs.latencyNanos();
    outFreeAt[from] = Math.max(answered, outFreeAt[from]) + bytes * costs.nanosPerByte();
    bytesOut[from] += bytes;
    return outFreeAt[from];
  }

  /** When a message has come in that leaves another host at a time. */
  double arrive(int to, double departed, long bytes) {
    inFreeAt[to] = Math.max(departed, inFreeAt[to] + bytes * costs.nanosPerByte());
    bytesIn[to] += bytes;
    double late = jitter == 0 ? 0 : jitter * random.nextDouble();
    return inFreeAt[to] + costs.latencyNanos() * (1 + late);
  }

  /** How long so many bytes take on a link. */
  double nanos(long bytes) {
    return bytes * costs.nanosPerByte();
  }

  long bytesOut(int host) {
    return bytesOut[host];
  }

  long bytesIn(int host) {
    return bytesIn[host];
  }
}
