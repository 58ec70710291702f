// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.StepHeaders;
import io.github.gemmflow.plan.Layout;
import io.github.gemmflow.tuning.Hosts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Chunks of one direction that travel behind a header, and not by themselves: all that a rank has
 * for another in a step, if that is little.
 */
final class Cargo {
  /** Cargo is copied, and MPI sends no more than this without asking the receiver. */
  private static final long MOST_BYTES = 32 << 10;

  /** The same to or from all hosts together, for which there is room all the time. */
  private static final long MOST_BYTES_OF_ALL = 4 << 20;

  /** There is no stream. */
  static final int NONE = -1;

  /** In place of a sender: the peer of each stream. */
  static final int OF_PEERS = -1;

  private final long mostBytes;
  private final long[] bytesByPeer;

  /** The first stream aboard of each peer; each stream knows the next of the same peer. */
  private final int[] firstOfPeer;

  private final Block message = new Block();
  private final Block chunk = new Block();
  private boolean[] aboard = new boolean[0];
  private int[] nextOfPeer = new int[0];

  Cargo(Hosts hosts) {
    this.mostBytes = mostBytes(hosts.count());
    this.bytesByPeer = new long[hosts.ranks()];
    this.firstOfPeer = new int[hosts.ranks()];
  }

  /** The most bytes of cargo that a rank has for another, in a group on so many hosts. */
  static long mostBytes(int hosts) {
    return Math.min(MOST_BYTES, MOST_BYTES_OF_ALL / hosts);
  }

  /**
   * Finds out what travels behind headers in a step, as both ends do.
   *
   * @param peers the ranks that headers go to, or come from
   * @param traffic says what may
   * @param sender whose headers, or {@link #OF_PEERS}
   */
  void find(StreamProgress streams, Layout layout, ChunkTraffic traffic, int[] peers, int sender) {
    if (aboard.length < streams.count()) {
      aboard = new boolean[streams.count()];
      nextOfPeer = new int[streams.count()];
    }
    Arrays.fill(aboard, false);
    Arrays.fill(bytesByPeer, Long.MAX_VALUE);
    for (int peer : peers) {
      bytesByPeer[peer] = 0;
    }
    for (int i = 0; i < streams.count(); i++) {
      int peer = streams.peer(i);
      int rank = sender == OF_PEERS ? peer : sender;
      if (bytesByPeer[peer] <= mostBytes && traffic.mayFollowHeader(streams.route(i), rank)) {
        aboard[i] = true;
        int route = streams.route(i);
        bytesByPeer[peer] += layout.bytes(route, 0, layout.chunks(route));
      }
    }
    Arrays.fill(firstOfPeer, NONE);
    for (int i = streams.count() - 1; i >= 0; i--) {
      // Rows without columns come by themselves: a header with nothing behind it says so.
      int peer = streams.peer(i);
      aboard[i] &= bytesByPeer[peer] > 0 && bytesByPeer[peer] <= mostBytes;
      if (aboard[i]) {
        nextOfPeer[i] = firstOfPeer[peer];
        firstOfPeer[peer] = i;
      }
    }
  }

  /** The first stream of a peer that is part of it, or {@link #NONE}. */
  int first(int peer) {
    return firstOfPeer[peer];
  }

  /** The next stream of the same peer that is part of it, or {@link #NONE}. */
  int next(int stream) {
    return nextOfPeer[stream];
  }

  /** Whether a stream is part of it. */
  boolean has(int stream) {
    return aboard[stream];
  }

  /** Whether every stream that has chunks to start is part of it. */
  boolean hasAllLeft(StreamProgress streams) {
    for (int i = 0; i < streams.count(); i++) {
      if (streams.isLeft(i) && !aboard[i]) {
        return false;
      }
    }
    return true;
  }

  /** Takes everything out: it travels by itself. */
  void unload() {
    Arrays.fill(aboard, false);
    Arrays.fill(firstOfPeer, NONE);
  }

  /** Takes out what comes from a rank. */
  void unload(int peer) {
    for (int i = first(peer); i != NONE; i = next(i)) {
      aboard[i] = false;
    }
    firstOfPeer[peer] = NONE;
  }

  /** Whether all of it is here to be sent. */
  boolean isComplete(StreamProgress streams, Layout layout, ChunkTraffic traffic) {
    for (int i = 0; i < streams.count(); i++) {
      int route = streams.route(i);
      if (aboard[i] && traffic.sendable(route) < layout.chunks(route)) {
        return false;
      }
    }
    return true;
  }

  /** Copies what is for a rank into a message; returns how many bytes that was. */
  long pack(
      StreamProgress streams, Layout layout, ChunkTraffic traffic, int peer, MemorySegment to) {
    long end = StepHeaders.BYTES;
    for (int i = first(peer); i != NONE; i = next(i)) {
      int route = streams.route(i);
      for (long c = 0; c < layout.chunks(route); c++) {
        Block source = traffic.toSend(chunk, route, c);
        point(to, end, source).copyFrom(source);
        end += source.bytes();
      }
    }
    return end - StepHeaders.BYTES;
  }

  /**
   * Copies what came from a rank to where it belongs.
   *
   * @throws EngineException if it is not what this rank expects
   */
  void unpack(
      StreamProgress streams,
      Layout layout,
      ChunkTraffic traffic,
      int peer,
      MemorySegment from,
      long bytes) {
    if (bytes != bytesByPeer[peer]) {
      throw new EngineException(
          "rank %d sent an unexpected message: %d bytes instead of %d"
              .formatted(peer, bytes, bytesByPeer[peer]));
    }
    long end = StepHeaders.BYTES;
    for (int i = first(peer); i != NONE; i = next(i)) {
      int route = streams.route(i);
      for (long c = 0; c < layout.chunks(route); c++) {
        Block target = traffic.received(chunk, route, c);
        target.copyFrom(point(from, end, target));
        end += target.bytes();
      }
    }
  }

  private Block point(MemorySegment memory, long offset, Block like) {
    return message.at(memory, offset, like.rows(), like.rowBytes(), like.rowBytes());
  }
}
