// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.EngineProvider;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.Block;
import java.time.Duration;
import java.util.ServiceLoader;

/** The engine on MPI, which counts the requests in flight. */
public final class CountedMpi implements EngineProvider {
  static final String NAME = "counted-mpi";

  private static int inFlight;
  private static volatile int mostInFlight;

  /** The most requests that this process had in flight at a time. */
  static int mostInFlight() {
    return mostInFlight;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Chosen by name only. */
  @Override
  public int preference() {
    return 0;
  }

  @Override
  public Engine connect(Duration deadline) {
    for (EngineProvider provider : ServiceLoader.load(EngineProvider.class)) {
      if (provider.name().equals("mpi")) {
        return new Counting(provider.connect(deadline));
      }
    }
    throw new IllegalStateException("there is no engine on MPI");
  }

  /** Engine whose calls come from one thread at a time. */
  private static final class Counting extends ForwardingEngine {
    Counting(Engine engine) {
      super(engine);
    }

    @Override
    protected Channel decorate(Channel channel) {
      return new CountingChannel(channel);
    }
  }

  private static synchronized int started(int request) {
    inFlight++;
    mostInFlight = Math.max(mostInFlight, inFlight);
    return request;
  }

  private static synchronized boolean finished(boolean done) {
    inFlight -= done ? 1 : 0;
    return done;
  }

  private static final class CountingChannel extends ForwardingEngine.ForwardingChannel {
    CountingChannel(Channel channel) {
      super(channel);
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      return started(super.send(target, tag, block, synchronous));
    }

    @Override
    public int receive(int source, int tag, Block block) {
      return started(super.receive(source, tag, block));
    }

    @Override
    public int receiveUpTo(int source, int tag, Block block) {
      return started(super.receiveUpTo(source, tag, block));
    }

    @Override
    public boolean isDone(int request) {
      return finished(super.isDone(request));
    }
  }
}
