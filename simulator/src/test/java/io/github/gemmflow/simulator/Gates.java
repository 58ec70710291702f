// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Gates in front of what happens in a real step: rows arrive, and work ends, only when a test lets
 * them. Nobody looks at a clock.
 */
final class Gates {
  private static final long DEADLINE_NANOS = 30_000_000_000L;

  private final int routes;
  private final long[][] mayArrive;
  private final long[] found;
  private final long[] published;
  private final int[] mayEnd;
  private final List<List<String>> runs = new ArrayList<>();

  Gates(int ranks, int routes) {
    this.routes = routes;
    this.mayArrive = new long[ranks][routes];
    this.found = new long[ranks];
    this.published = new long[ranks];
    this.mayEnd = new int[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      runs.add(new ArrayList<>());
    }
  }

  private synchronized void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    try {
      while (!condition.getAsBoolean()) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError(what + "; runs so far " + runs);
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(what, e);
    }
  }

  /** Lets the next chunk of a route arrive, and returns when compute lanes can see it. */
  synchronized void arrive(int rank, int route) {
    long wanted = published[rank] + 1;
    mayArrive[rank][route]++;
    await(
        "no chunk of route %d arrives at rank %d".formatted(route, rank),
        () -> published[rank] >= wanted);
  }

  /** Returns when a rank has begun so many runs. */
  synchronized void begin(int rank, int count) {
    await(
        "rank %d does not begin its run %d".formatted(rank, count),
        () -> runs.get(rank).size() >= count);
  }

  /** Lets the next run of a rank end. */
  synchronized void end(int rank) {
    mayEnd[rank]++;
    notifyAll();
  }

  /** What a rank has worked on. */
  synchronized List<String> runs(int rank) {
    return List.copyOf(runs.get(rank));
  }

  /** A rank works on rows. */
  synchronized void work(int rank, long first, long end) {
    runs.get(rank).add(first + "+" + (end - first));
    notifyAll();
    int count = runs.get(rank).size();
    await("nobody ends run %d of rank %d".formatted(count, rank), () -> mayEnd[rank] >= count);
  }

  /** An engine whose chunks arrive when they may. */
  Engine around(Engine engine) {
    int rank = engine.rank();
    return new ForwardingEngine(engine) {
      @Override
      public boolean announces() {
        return false;
      }

      @Override
      protected Channel decorate(Channel channel) {
        return new GatedChannel(channel);
      }

      @Override
      public int progress() {
        publish(rank);
        return super.progress();
      }
    };
  }

  /** Who looks again has published what was found before. */
  private synchronized void publish(int rank) {
    published[rank] = found[rank];
    notifyAll();
  }

  /** Channel whose requests of chunks are done when they may be. */
  private final class GatedChannel extends ForwardingEngine.ForwardingChannel {
    private final Map<Integer, long[]> chunkOf = new HashMap<>();
    private final long[] started = new long[routes];

    GatedChannel(Channel channel) {
      super(channel);
    }

    @Override
    public int receive(int source, int tag, Block block) {
      int request = super.receive(source, tag, block);
      chunkOf.put(request, new long[] {tag, started[tag]++});
      return request;
    }

    @Override
    public int receiveUpTo(int source, int tag, Block block) {
      int request = super.receiveUpTo(source, tag, block);
      chunkOf.remove(request);
      return request;
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      int request = super.send(target, tag, block, synchronous);
      chunkOf.remove(request);
      return request;
    }

    @Override
    public boolean isDone(int request) {
      long[] chunk = chunkOf.get(request);
      synchronized (Gates.this) {
        if (chunk != null && mayArrive[rank()][(int) chunk[0]] <= chunk[1]) {
          return false;
        }
        boolean done = super.isDone(request);
        if (done && chunk != null) {
          found[rank()]++;
        }
        return done;
      }
    }
  }

  @Override
  public synchronized String toString() {
    return runs + " " + Arrays.toString(mayEnd);
  }
}
