// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.EngineException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/** Meeting place of the ranks of one local job, which their engines share. Thread-safe. */
public final class LocalFabric {
  private final int[] hostOf;
  private final Links links;
  private final LocalEngine[] engines;
  private final Map<String, Rendezvous> rendezvous = new HashMap<>();
  private final AtomicIntegerArray left;
  private volatile @Nullable String aborted;

  /**
   * A job.
   *
   * @param hostOf the pretended host of each rank; ranks of different hosts share no memory
   */
  public LocalFabric(int... hostOf) {
    this(hostOf, Links.instant(hosts(hostOf)));
  }

  /** A job whose hosts have links that are not infinitely fast. */
  public LocalFabric(int[] hostOf, Links links) {
    this.hostOf = hostOf.clone();
    this.links = links;
    this.engines = new LocalEngine[hostOf.length];
    this.left = new AtomicIntegerArray(hostOf.length);
    for (int rank = 0; rank < hostOf.length; rank++) {
      engines[rank] = new LocalEngine(this, rank);
    }
  }

  /** The engine of a rank; each is used by one rank's communication thread. */
  public Engine engine(int rank) {
    return engines[rank];
  }

  /** How many hosts there are; none has a higher number. */
  public static int hosts(int... hostOf) {
    return 1 + Arrays.stream(hostOf).max().orElse(-1);
  }

  Links links() {
    return links;
  }

  /** Bytes that have come into the host of a rank from other hosts. */
  public long bytesInto(int rank) {
    return links.received(hostOf[rank]);
  }

  int size() {
    return engines.length;
  }

  int host(int rank) {
    return hostOf[rank];
  }

  boolean isOneHost() {
    return Arrays.stream(hostOf).distinct().count() == 1;
  }

  LocalEngine peer(int rank) {
    return engines[rank];
  }

  /**
   * The meeting that all ranks of a channel name alike; it is forgotten when all have come.
   *
   * @param members the ranks of the channel
   * @param rank this rank's place among them
   */
  Rendezvous meet(String name, int[] members, int rank, byte[] bytes) {
    Rendezvous meeting;
    synchronized (rendezvous) {
      meeting = rendezvous.computeIfAbsent(name, n -> new Rendezvous(this, members));
      if (meeting.arrive(rank, bytes)) {
        rendezvous.remove(name);
      }
    }
    announceToAll();
    return meeting;
  }

  private void announceToAll() {
    for (LocalEngine engine : engines) {
      engine.announce();
    }
  }

  /** A rank leaves in good order: nobody needs to wait for it any more. */
  void leave(int rank) {
    left.set(rank, 1);
    announceToAll();
  }

  boolean hasLeft(int rank) {
    return left.get(rank) != 0;
  }

  /** Ends the job: every rank finds out at its next call. */
  public void abort(String reason) {
    if (aborted == null) {
      aborted = reason;
    }
    announceToAll();
  }

  void checkAlive() {
    String reason = aborted;
    if (reason != null) {
      throw new EngineException("the job was aborted: " + reason);
    }
  }
}
