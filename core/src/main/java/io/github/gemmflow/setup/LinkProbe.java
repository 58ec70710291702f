// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.DeadlineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.comm.CommThread;
import io.github.gemmflow.pipeline.comm.Durations;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.cost.LinkCosts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;

/**
 * Rate of the links between hosts, measured by a job that has no costs: otherwise the rules would
 * take every link for one of 1 Gbit/s. One rank of each host sends to the next host while it
 * receives from the one before, in the way in which chunks travel.
 */
final class LinkProbe {
  private static final String CALL = "measuring the links between hosts";

  /** Bytes each way: on a link of 10 Gbit/s they take a millisecond. */
  private static final long ROWS = 256;

  private static final long ROW_BYTES = 4 << 10;

  /** Whatever else hosts do only adds to a time, and the first one has the connection made. */
  private static final int FEWEST_TIMES = 3;

  private static final int MOST_TIMES = 20;

  /** Nanoseconds after which it is measured no more than that, because the link is a slow one. */
  private static final long ENOUGH = 200_000_000;

  private final CommThread thread;
  private final Engine engine;
  private final Hosts hosts;
  private final Duration deadline;

  LinkProbe(CommThread thread, Engine engine, Hosts hosts, Duration deadline) {
    this.thread = thread;
    this.engine = engine;
    this.hosts = hosts;
    this.deadline = deadline;
  }

  /**
   * Measures. Collective.
   *
   * @param latencyNanos that is assumed
   * @return the same on all ranks: the best of the times of the slowest host
   */
  LinkCosts measure(Agreement agreement, double latencyNanos) {
    int host = hosts.hostOf(engine.rank());
    boolean sends = hosts.member(host, 0) == engine.rank();
    long best = Long.MAX_VALUE;
    long sum = 0;
    for (int i = 0; i < FEWEST_TIMES || (i < MOST_TIMES && sum < ENOUGH); i++) {
      long mine = sends ? thread.ask(this::nanos, deadline.plus(deadline)) : 0;
      byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(mine).array();
      byte[][] all = agreement.exchange(CALL, bytes);
      // Who comes late finds that much has arrived already: only the slowest tells the time.
      long slowest =
          Arrays.stream(all).mapToLong(its -> ByteBuffer.wrap(its).getLong()).max().orElseThrow();
      best = Math.min(best, slowest);
      sum += slowest;
    }
    return new LinkCosts(latencyNanos, (double) best / (ROWS * ROW_BYTES));
  }

  /** The rank that sends and receives for a host at a distance from this one. */
  private int senderAfter(int distance) {
    int host = hosts.hostOf(engine.rank());
    return hosts.member(Math.floorMod(host + distance, hosts.count()), 0);
  }

  /** Called on the communication thread. */
  private long nanos() {
    Channel channel = engine.world();
    int source = senderAfter(-1);
    int target = senderAfter(1);
    // Not closed unless the engine is done with it.
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(2 * ROWS * ROW_BYTES);
    long start = System.nanoTime();
    int receive = channel.receive(source, 0, new Block().at(memory, 0, ROWS, ROW_BYTES, ROW_BYTES));
    int send =
        channel.send(
            target, 0, new Block().at(memory, ROWS * ROW_BYTES, ROWS, ROW_BYTES, ROW_BYTES), false);
    boolean received = false;
    boolean sent = false;
    while (!received || !sent) {
      int _ = engine.progress();
      received = received || channel.isDone(receive);
      sent = sent || channel.isDone(send);
      if (System.nanoTime() - start > deadline.toNanos()) {
        throw new DeadlineException(
            "rank %d waited %s in %s: not all of %d bytes to rank %d and as many from rank %d have arrived. Check that the hosts can reach each other; if the link is only slow, raise gemmflow.setup.deadline"
                .formatted(
                    engine.rank(),
                    Durations.describe(deadline),
                    CALL,
                    ROWS * ROW_BYTES,
                    target,
                    source));
      }
    }
    long nanos = System.nanoTime() - start;
    arena.close();
    return nanos;
  }
}
