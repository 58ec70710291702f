// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.matrix.Block;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Any engine on a bad day: it reports completions late and out of order, pauses, stalls, or is
 * lost, and whoever calls it may lose its core in any call. It keeps every promise of {@link
 * Engine} and {@link Channel} but speed, so a program that is right only on good days shows it. The
 * same seed makes the same choices.
 */
public final class ChaosEngine extends ForwardingEngine {
  private final Chaos chaos;
  private final SplittableRandom random;
  private final ChaosChannel world;
  private final Deque<Runnable> heldBack = new ArrayDeque<>();
  private long transfers;
  private long pausedUntil;
  private boolean stalled;

  public ChaosEngine(Engine engine, Chaos chaos) {
    super(engine);
    this.chaos = chaos;
    this.random = new SplittableRandom(chaos.seed() * 31 + engine.rank());
    this.world = new ChaosChannel(engine.world());
    this.pausedUntil = System.nanoTime();
  }

  @Override
  public String name() {
    return super.name() + " with chaos";
  }

  /** No: delays end without anybody noticing, so this engine has to be polled. */
  @Override
  public boolean announces() {
    return false;
  }

  @Override
  public Channel world() {
    return world;
  }

  @Override
  protected Channel decorate(Channel channel) {
    return new ChaosChannel(channel);
  }

  @Override
  public int progress() {
    stallThread();
    if (isPaused()) {
      return 0;
    }
    if (random.nextDouble() < chaos.pauses()) {
      pauseFor(randomDelay());
      return 0;
    }
    startHeldBack();
    return super.progress();
  }

  private void startHeldBack() {
    for (Runnable start = heldBack.poll(); start != null; start = heldBack.poll()) {
      start.run();
    }
  }

  /** The thread that polls stops where it is, at a point that the program cannot choose. */
  private void stallThread() {
    if (chaos.threadStalls() > 0 && random.nextDouble() < chaos.threadStalls()) {
      LockSupport.parkNanos(random.nextLong(chaos.longestThreadStall().toNanos() + 1));
    }
  }

  private boolean isPaused() {
    return pausedUntil - System.nanoTime() > 0;
  }

  private void pauseFor(long nanos) {
    pausedUntil = System.nanoTime() + nanos;
  }

  private long randomDelay() {
    return random.nextLong(chaos.longestDelay().toNanos() + 1);
  }

  private void countTransfer() {
    transfers++;
    if (!stalled && chaos.stallAfter() >= 0 && transfers > chaos.stallAfter()) {
      stalled = true;
      pauseFor(chaos.stallFor().toNanos());
    }
  }

  /** A transfer that the inner channel has, or that is held back until a pause ends. */
  private static final class Late {
    private static final int NOT_STARTED = -1;

    private int inner = NOT_STARTED;
    private boolean innerDone;
    private boolean cancelled;
    private long reportAt;
  }

  private final class ChaosChannel extends ForwardingChannel {
    private final Channel channel;
    private final List<Late> requests = new ArrayList<>();
    private final Deque<Integer> unused = new ArrayDeque<>();

    ChaosChannel(Channel channel) {
      super(channel);
      this.channel = channel;
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      Block own = copyOf(block);
      return start(() -> channel.send(target, tag, own, synchronous));
    }

    @Override
    public int receive(int source, int tag, Block block) {
      Block own = copyOf(block);
      return start(() -> channel.receive(source, tag, own));
    }

    @Override
    public int receiveUpTo(int source, int tag, Block block) {
      Block own = copyOf(block);
      return start(() -> channel.receiveUpTo(source, tag, own));
    }

    private Block copyOf(Block block) {
      return new Block()
          .at(block.memory(), block.offset(), block.rows(), block.rowBytes(), block.stride());
    }

    /** Starts a transfer now, or, in the order of the calls, when the pause is over. */
    private int start(IntSupplier inner) {
      stallThread();
      countTransfer();
      Late late = new Late();
      if (isPaused()) {
        heldBack.add(
            () -> {
              if (!late.cancelled) {
                late.inner = inner.getAsInt();
              }
            });
      } else {
        startHeldBack();
        late.inner = inner.getAsInt();
      }
      Integer free = unused.poll();
      if (free == null) {
        requests.add(late);
        return requests.size() - 1;
      }
      requests.set(free, late);
      return free;
    }

    @Override
    public boolean isDone(int request) {
      stallThread();
      if (isPaused()) {
        return false;
      }
      Late late = requests.get(request);
      if (late.inner == Late.NOT_STARTED) {
        return false;
      }
      if (!late.innerDone && channel.isDone(late.inner)) {
        late.innerDone = true;
        late.reportAt = System.nanoTime() + randomDelay();
      }
      if (!late.innerDone || late.reportAt - System.nanoTime() > 0) {
        return false;
      }
      unused.push(request);
      return true;
    }

    @Override
    public boolean cancel(int request) {
      stallThread();
      Late late = requests.get(request);
      unused.push(request);
      late.cancelled = true;
      return late.innerDone || late.inner == Late.NOT_STARTED || channel.cancel(late.inner);
    }

    @Override
    public Exchange allGather(byte[] mine) {
      stallThread();
      Exchange exchange = channel.allGather(mine);
      return new Exchange() {
        @Override
        public boolean isDone() {
          stallThread();
          return !isPaused() && exchange.isDone();
        }

        @Override
        public byte[][] result() {
          return exchange.result();
        }
      };
    }
  }
}
