// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.trace.Timeline;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntBinaryOperator;

/**
 * Gates in front of what happens in a real step: rows arrive, and work ends, only when a test lets
 * them. Nobody looks at a clock.
 */
final class Gates {
  private static final long DEADLINE_NANOS = 30_000_000_000L;

  /** Nobody says when sums have been added up: who waits for that looks again so often. */
  private static final long LOOK_AGAIN_MILLIS = 1;

  private final int routes;
  private final IntBinaryOperator routeOf;
  private final long[][] mayArrive;
  private final long[] found;
  private final long[] published;
  private final int[] begun;
  private final int[] mayEnd;
  private final Timeline[] timelines;

  /**
   * Gates that are all shut.
   *
   * @param routeOf the route of a message, from its source and tag
   */
  Gates(int ranks, int routes, IntBinaryOperator routeOf) {
    this.routes = routes;
    this.routeOf = routeOf;
    this.mayArrive = new long[ranks][routes];
    this.found = new long[ranks];
    this.published = new long[ranks];
    this.begun = new int[ranks];
    this.mayEnd = new int[ranks];
    this.timelines = new Timeline[ranks];
    Arrays.setAll(timelines, rank -> new Timeline(1));
  }

  /** Says where what a rank does is written down. */
  synchronized void watch(int rank, Timeline timeline) {
    timelines[rank] = timeline;
  }

  /** What a rank has done. */
  synchronized Timeline timeline(int rank) {
    return timelines[rank];
  }

  private synchronized void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    try {
      while (!condition.getAsBoolean()) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError(what + "; " + this);
        }
        wait(Math.min(left, LOOK_AGAIN_MILLIS));
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
    await("rank %d does not begin its run %d".formatted(rank, count), () -> begun[rank] >= count);
  }

  /** Returns when a rank has added up sums so many times. */
  synchronized void added(int rank, int count) {
    await(
        "rank %d does not add up its sums for the time %d".formatted(rank, count),
        () -> adds(rank) >= count);
  }

  private long adds(int rank) {
    return timelines[rank].spans().stream().filter(s -> s.kind() == Span.Kind.ADD).count();
  }

  /** Lets the next run of a rank end. */
  synchronized void end(int rank) {
    mayEnd[rank]++;
    notifyAll();
  }

  /** A rank works on rows. */
  synchronized void work(int rank) {
    int count = ++begun[rank];
    notifyAll();
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
      int route = routeOf.applyAsInt(source, tag);
      chunkOf.put(request, new long[] {route, started[route]++});
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
    return "runs begun %s, ended %s".formatted(Arrays.toString(begun), Arrays.toString(mayEnd));
  }
}
