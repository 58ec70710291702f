// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.failure.EngineException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Agents of all groups of a process, polled in the order in which they became busy, until the
 * engine fails. Used by whoever has the {@link EngineTurn}.
 */
final class CommAgents {
  private final PollBackoff backoff;
  private CommAgent[] agents = new CommAgent[0];
  private @Nullable EngineException failure;
  private long toCome;
  private volatile int underWay;
  private volatile boolean canWait;

  /**
   * None yet.
   *
   * @param backoff is told what completes
   */
  CommAgents(PollBackoff backoff) {
    this.backoff = backoff;
  }

  void add(CommAgent agent) {
    agents = Arrays.copyOf(agents, agents.length + 1);
    agents[agents.length - 1] = agent;
    if (failure != null) {
      fail(agent, failure);
    }
  }

  void remove(CommAgent agent) {
    agents = Arrays.stream(agents).filter(a -> !a.equals(agent)).toArray(CommAgent[]::new);
  }

  /** Does what can be done without blocking; returns how much that was. */
  int moveOn(Engine engine) {
    int done = 0;
    try {
      if (failure == null) {
        int completed = engine.progress();
        done += completed;
        long received = 0;
        for (CommAgent agent : agents) {
          done += agent.poll();
          received += agent.takeReceived();
        }
        if (completed > 0) {
          backoff.completed(received);
        }
      }
    } catch (EngineException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      fail(new EngineException("the communication thread failed: " + e, e));
    }
    count();
    return done;
  }

  /**
   * Counts what is under way, and puts agents that have something under way before the others, in
   * the order in which they came to have it: what one of them has begun is not to be sent behind
   * what another begins later, which may be long.
   */
  private void count() {
    int count = 0;
    int busy = 0;
    long bytes = 0;
    boolean allWait = true;
    for (int i = 0; i < agents.length; i++) {
      CommAgent agent = agents[i];
      int ofAgent = agent.underWay();
      if (ofAgent > 0) {
        System.arraycopy(agents, busy, agents, busy + 1, i - busy);
        agents[busy++] = agent;
        count += ofAgent;
        bytes += agent.toCome();
        allWait &= agent.canWait();
      }
    }
    canWait = allWait;
    toCome = bytes;
    underWay = failure == null ? count : 0;
  }

  /** Whether all of these keep until a compute thread looks. Thread-safe. */
  boolean canWait() {
    return canWait;
  }

  /** How many things were under way in the engine when it was looked at last. Thread-safe. */
  int underWay() {
    return underWay;
  }

  /** Somebody waits from now on for what is under way. */
  void begin() {
    backoff.begin();
  }

  /** How long the thread may sleep before it looks again, in nanoseconds. */
  long napNanos() {
    return backoff.next(toCome);
  }

  /** The engine has failed, for good. */
  void fail(EngineException e) {
    failure = e;
    for (CommAgent agent : agents) {
      fail(agent, e);
    }
  }

  /** Whatever one agent does when it is told, the others are told, too. */
  private static void fail(CommAgent agent, EngineException e) {
    try {
      agent.fail(e);
    } catch (RuntimeException | Error more) {
      e.addSuppressed(more);
    }
  }
}
