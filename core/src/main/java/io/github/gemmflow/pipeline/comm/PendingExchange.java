// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.pipeline.step.Breakable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An exchange that the communication thread waits for on someone's behalf. */
final class PendingExchange implements CommAgent {
  private final CommThread thread;
  private final Channel channel;
  private final @Nullable Breakable ranks;
  private final Function<Channel, Exchange> start;
  private final CompletableFuture<byte[][]> result;
  private @Nullable Exchange exchange;

  PendingExchange(
      CommThread thread,
      Channel channel,
      @Nullable Breakable ranks,
      Function<Channel, Exchange> start,
      CompletableFuture<byte[][]> result) {
    this.thread = thread;
    this.channel = channel;
    this.ranks = ranks;
    this.start = start;
    this.result = result;
  }

  @Override
  public int poll() {
    if (exchange == null) {
      exchange = start.apply(channel);
      return 1;
    }
    // What all ranks have brought counts, even if one of them has broken the group since.
    if (exchange.isDone()) {
      byte[][] all = exchange.result();
      thread.remove(this);
      result.complete(all);
      return 1;
    }
    if (ranks != null && ranks.isBroken()) {
      thread.remove(this);
      result.completeExceptionally(ranks.broken());
      return 1;
    }
    return 0;
  }

  @Override
  public int underWay() {
    return 1;
  }

  @Override
  public void fail(EngineException failure) {
    thread.remove(this);
    result.completeExceptionally(failure);
  }
}
