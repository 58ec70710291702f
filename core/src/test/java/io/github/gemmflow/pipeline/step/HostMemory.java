// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Bell;
import io.github.gemmflow.window.Breakage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/** A host of a group as memory alone: the start of its window, and its ranks without threads. */
public final class HostMemory {
  private static final long SECOND = 1_000_000_000;

  private final Hosts hosts;
  private final int host;
  private final WindowCursor end = new WindowCursor();
  private final StepWindow window;
  private final Breakage breakage;

  /** Makes one. */
  public HostMemory(Hosts hosts, int host) {
    this.hosts = hosts;
    this.host = host;
    StepWindow.skip(end, hosts, host);
    MemorySegment memory = Arena.ofAuto().allocate(end.end(), WindowCursor.PAGE);
    this.window = new StepWindow(memory, new WindowCursor(), hosts, host);
    this.breakage = new Breakage(Arena.ofAuto().allocate(Breakage.bytes(1), Long.BYTES), 0);
  }

  /** The headers that have come to this host. */
  public StepHeaders headers() {
    return window.headers();
  }

  /** The part of the window that steps of all kinds have. */
  public StepWindow window() {
    return window;
  }

  /** What has come in on this host. */
  public News news() {
    return window.news();
  }

  /** A rank says in a header what it runs, and it is here. */
  public void begin(int rank, long step, long operator, long rows, long counts) {
    headers().write(step, rank, rows, operator, counts);
    headers().publish(rank, step);
  }

  /** A rank of this host. */
  public HostPeers rank(int rank) {
    return new HostPeers(
        rank,
        hosts,
        bells(),
        bells(),
        breakage,
        new WholeWorld(),
        new Callers(System::nanoTime),
        () -> 0,
        null,
        SECOND,
        SECOND);
  }

  private Bell[] bells() {
    return IntStream.range(0, hosts.size(host))
        .mapToObj(i -> new Bell(Arena.ofAuto().allocate(Bell.bytes(1), Long.BYTES), 0))
        .toArray(Bell[]::new);
  }

  /** A world that nobody gives up. */
  private static final class WholeWorld implements Breakable {
    @Override
    public boolean isBroken() {
      return false;
    }

    @Override
    public BrokenException broken() {
      throw new IllegalStateException("the world is whole");
    }

    @Override
    public void breakUp(String reason) {
      throw new IllegalStateException(reason);
    }

    @Override
    public void look() {}
  }
}
