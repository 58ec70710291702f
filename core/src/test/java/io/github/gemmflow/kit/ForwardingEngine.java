// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.matrix.Block;

/** Engine that does what another one does; a test overrides what it wants done differently. */
public class ForwardingEngine implements Engine {
  private final Engine engine;

  protected ForwardingEngine(Engine engine) {
    this.engine = engine;
  }

  /** Puts something around a channel; the channel itself, unless overridden. */
  protected Channel decorate(Channel channel) {
    return channel;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public int rank() {
    return engine.rank();
  }

  @Override
  public int size() {
    return engine.size();
  }

  @Override
  public String island() {
    return engine.island();
  }

  @Override
  public boolean announces() {
    return engine.announces();
  }

  @Override
  public void onActivity(Runnable wakeUp) {
    engine.onActivity(wakeUp);
  }

  @Override
  public Channel world() {
    return decorate(engine.world());
  }

  @Override
  public Channel split(int color) {
    return decorate(engine.split(color));
  }

  @Override
  public int progress() {
    return engine.progress();
  }

  @Override
  public long graceNanos() {
    return engine.graceNanos();
  }

  @Override
  public void abort(String reason) {
    engine.abort(reason);
  }

  @Override
  public void kill(String reason) {
    engine.kill(reason);
  }

  @Override
  public boolean closesTogether() {
    return engine.closesTogether();
  }

  @Override
  public void close() {
    engine.close();
  }

  /** Channel that does what another one does. */
  public static class ForwardingChannel implements Channel {
    private final Channel channel;

    protected ForwardingChannel(Channel channel) {
      this.channel = channel;
    }

    @Override
    public int rank() {
      return channel.rank();
    }

    @Override
    public int size() {
      return channel.size();
    }

    @Override
    public int mostTag() {
      return channel.mostTag();
    }

    @Override
    public int send(int target, int tag, Block block, boolean synchronous) {
      return channel.send(target, tag, block, synchronous);
    }

    @Override
    public int receive(int source, int tag, Block block) {
      return channel.receive(source, tag, block);
    }

    @Override
    public int receiveUpTo(int source, int tag, Block block) {
      return channel.receiveUpTo(source, tag, block);
    }

    @Override
    public boolean isDone(int request) {
      return channel.isDone(request);
    }

    @Override
    public boolean cancel(int request) {
      return channel.cancel(request);
    }

    @Override
    public Exchange allGather(byte[] mine) {
      return channel.allGather(mine);
    }

    @Override
    public void close() {
      channel.close();
    }
  }
}
