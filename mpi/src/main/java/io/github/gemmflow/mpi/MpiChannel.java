// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.mpi.binding.MpiException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** The ranks of a communicator. */
final class MpiChannel implements Channel {
  private final MpiEngine engine;
  private final long comm;
  private final int rank;
  private final int size;
  private final int mostTag;
  private final List<MpiTransfer> transfers = new ArrayList<>();
  private final Deque<MpiExchange> exchanges = new ArrayDeque<>();
  private int[] unused = {};
  private int unusedCount;

  MpiChannel(MpiEngine engine, long comm) {
    this.engine = engine;
    this.comm = comm;
    this.rank = engine.mpi().rank(comm);
    this.size = engine.mpi().size(comm);
    this.mostTag = engine.mpi().mostTag();
  }

  long comm() {
    return comm;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int mostTag() {
    return mostTag;
  }

  @Override
  public int send(int target, int tag, Block block, boolean synchronous) {
    int request = newRequest();
    try {
      transfers.get(request).send(target, tag, block, synchronous);
    } catch (MpiException e) {
      throw new EngineException(
          "cannot send to rank %d (tag %d): %s".formatted(target, tag, e.getMessage()), e);
    }
    return request;
  }

  @Override
  public int receive(int source, int tag, Block block) {
    return receive(source, tag, block, false);
  }

  @Override
  public int receiveUpTo(int source, int tag, Block block) {
    return receive(source, tag, block, true);
  }

  private int receive(int source, int tag, Block block, boolean upTo) {
    int request = newRequest();
    try {
      transfers.get(request).receive(source, tag, block, upTo);
    } catch (MpiException e) {
      throw new EngineException(
          "cannot receive from rank %d (tag %d): %s".formatted(source, tag, e.getMessage()), e);
    }
    return request;
  }

  private int newRequest() {
    if (unusedCount > 0) {
      return unused[--unusedCount];
    }
    transfers.add(new MpiTransfer(engine, comm));
    if (unused.length < transfers.size()) {
      unused = Arrays.copyOf(unused, 2 * transfers.size());
    }
    return transfers.size() - 1;
  }

  @Override
  public boolean isDone(int request) {
    if (!transfers.get(request).isDone()) {
      return false;
    }
    unused[unusedCount++] = request;
    return true;
  }

  @Override
  public boolean cancel(int request) {
    boolean clean = transfers.get(request).cancel();
    unused[unusedCount++] = request;
    return clean;
  }

  @Override
  public void close() {
    try {
      engine.free(comm);
    } catch (MpiException e) {
      throw new EngineException("cannot free a group: " + e.getMessage(), e);
    }
  }

  /** One exchange at a time: all ranks must start their collectives in the same order. */
  @Override
  public Exchange allGather(byte[] mine) {
    MpiExchange exchange = new MpiExchange(engine, this, mine);
    exchanges.add(exchange);
    if (exchanges.size() == 1) {
      start(exchange);
    }
    return exchange;
  }

  private static void start(MpiExchange exchange) {
    try {
      exchange.start();
    } catch (MpiException e) {
      throw new EngineException("cannot start an exchange: " + e.getMessage(), e);
    }
  }

  void exchangeIsOver() {
    exchanges.remove();
    if (!exchanges.isEmpty()) {
      start(exchanges.element());
    }
  }
}
