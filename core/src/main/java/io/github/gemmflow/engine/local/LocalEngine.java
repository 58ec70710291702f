// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** One rank's end of a {@link LocalFabric}. */
final class LocalEngine implements Engine {
  private static final long SPLIT_LOOK_NANOS = 50_000;

  private final LocalFabric fabric;
  private final int rank;
  private final Mailbox mailbox;
  private final LocalChannel world;
  private final Object waking = new Object();
  private Runnable wakeUp = () -> {};
  private int splits;

  LocalEngine(LocalFabric fabric, int rank) {
    this.fabric = fabric;
    this.rank = rank;
    this.mailbox = new Mailbox(fabric.links(), fabric.host(rank));
    this.world =
        new LocalChannel(fabric, "world", IntStream.range(0, fabric.size()).toArray(), rank, this);
  }

  @Override
  public String name() {
    return fabric.isOneHost() ? "local" : "simulated hosts, " + fabric.links();
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return fabric.size();
  }

  @Override
  public String island() {
    return "host%d-".formatted(fabric.host(rank));
  }

  /** Nobody is there to say that a message which was under way has arrived. */
  @Override
  public boolean announces() {
    return fabric.links().areInstant();
  }

  @Override
  public void onActivity(Runnable runnable) {
    synchronized (waking) {
      wakeUp = runnable;
    }
  }

  /** Called by other ranks' threads. */
  void announce() {
    synchronized (waking) {
      wakeUp.run();
    }
  }

  Mailbox mailbox() {
    return mailbox;
  }

  @Override
  public Channel world() {
    return world;
  }

  @Override
  public Channel split(int color) {
    String name = "split" + splits++;
    int[] all = IntStream.range(0, fabric.size()).toArray();
    Rendezvous meeting = fabric.meet(name, all, rank, Integer.toString(color).getBytes(UTF_8));
    while (!meeting.isDone()) {
      fabric.checkAlive();
      LockSupport.parkNanos(SPLIT_LOOK_NANOS);
    }
    byte[][] colors = meeting.result();
    int[] members =
        IntStream.range(0, colors.length)
            .filter(r -> Integer.parseInt(new String(colors[r], UTF_8)) == color)
            .toArray();
    return new LocalChannel(fabric, name + "-" + color, members, rank, this);
  }

  @Override
  public int progress() {
    fabric.checkAlive();
    return mailbox.deliver();
  }

  @Override
  public void abort(String reason) {
    fabric.abort(reason);
  }

  @Override
  public void close() {
    onActivity(() -> {});
    fabric.leave(rank);
  }
}
