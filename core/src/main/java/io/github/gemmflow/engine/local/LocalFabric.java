// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.EngineException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the local engines of one job share: the place where their ranks meet. Thread-safe. */
public final class LocalFabric {
  private final int[] hostOf;
  private final LocalEngine[] engines;
  private final Map<String, Rendezvous> rendezvous = new HashMap<>();
  private volatile @Nullable String aborted;

  /**
   * A job.
   *
   * @param hostOf the pretended host of each rank; ranks of different hosts share no memory
   */
  public LocalFabric(int... hostOf) {
    this.hostOf = hostOf.clone();
    this.engines = new LocalEngine[hostOf.length];
    for (int rank = 0; rank < hostOf.length; rank++) {
      engines[rank] = new LocalEngine(this, rank);
    }
  }

  /** The engine of a rank; each is used by one rank's comm thread. */
  public Engine engine(int rank) {
    return engines[rank];
  }

  int size() {
    return engines.length;
  }

  int host(int rank) {
    return hostOf[rank];
  }

  LocalEngine peer(int rank) {
    return engines[rank];
  }

  /** The meeting that all ranks of a channel name alike; it is forgotten when all have come. */
  Rendezvous meet(String name, int rank, int ranks, byte[] bytes) {
    Rendezvous meeting;
    synchronized (rendezvous) {
      meeting = rendezvous.computeIfAbsent(name, n -> new Rendezvous(ranks));
      if (meeting.arrive(rank, bytes)) {
        rendezvous.remove(name);
      }
    }
    for (LocalEngine engine : engines) {
      engine.announce();
    }
    return meeting;
  }

  /** Ends the job: every rank finds out at its next call. */
  public void abort(String reason) {
    if (aborted == null) {
      aborted = reason;
    }
    for (LocalEngine engine : engines) {
      engine.announce();
    }
  }

  void checkAlive() {
    String reason = aborted;
    if (reason != null) {
      throw new EngineException("the job was aborted: " + reason);
    }
  }
}
