// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import static java.util.Objects.requireNonNull;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One end of a transfer, a send or a receive, that meets its counterpart in a mailbox. */
final class Transfer {
  private String channel = "";
  private int source;
  private int tag;
  private final Block block = new Block();
  private byte[] buffer = new byte[0];
  private MemorySegment buffered = MemorySegment.ofArray(buffer);
  private @Nullable Transfer counterpart;
  private @Nullable LocalEngine owner;
  private @Nullable Mailbox mailbox;
  private int from;
  private boolean takesLess;
  private boolean departed;
  private long arrival;
  private volatile boolean done;
  private @Nullable EngineException failure;

  /** Makes this the end that {@code owner} is told about when it is done. */
  void start(
      String channel, int source, int tag, Block of, Mailbox in, @Nullable LocalEngine owner) {
    this.channel = channel;
    this.source = source;
    this.tag = tag;
    this.block.at(of.memory(), of.offset(), of.rows(), of.rowBytes(), of.stride());
    this.mailbox = in;
    this.owner = owner;
    this.failure = null;
    this.departed = false;
    this.done = false;
  }

  /** Sets whether a receive of one row takes a shorter one, too. */
  void takeLess(boolean value) {
    takesLess = value;
  }

  /** Sets the host of a send. */
  void departFrom(int host) {
    from = host;
  }

  /** Puts a send on its way, unless it is. */
  void depart(Links links, int to) {
    if (!departed) {
      arrival = links.send(from, to, block.bytes());
      departed = true;
    }
  }

  /** Whether a send that is on its way has arrived. */
  boolean hasArrived() {
    return System.nanoTime() - arrival >= 0;
  }

  /** Moves the bytes to be sent into a buffer of the engine's own. */
  void buffer() {
    int bytes = (int) block.bytes();
    if (buffer.length < bytes) {
      buffer = new byte[bytes];
      buffered = MemorySegment.ofArray(buffer);
    }
    for (long row = 0; row < block.rows(); row++) {
      MemorySegment.copy(
          block.memory(),
          ValueLayout.JAVA_BYTE,
          block.offset() + row * block.stride(),
          buffer,
          (int) (row * block.rowBytes()),
          (int) block.rowBytes());
    }
    block.at(buffered, 0, block.rows(), block.rowBytes(), block.rowBytes());
  }

  boolean matches(Transfer other) {
    return source == other.source && tag == other.tag && channel.equals(other.channel);
  }

  /** Sets the receive that this send has met. */
  void meet(Transfer receive) {
    counterpart = receive;
  }

  /** The receive that this send has met. */
  Transfer met() {
    return requireNonNull(counterpart);
  }

  /** Fills this receive from a send. */
  void receive(Transfer send) {
    try {
      if (takesLess) {
        block.columns(0, Math.min(block.rowBytes(), send.block.rowBytes()));
      }
      block.copyFrom(send.block);
    } catch (IllegalArgumentException e) {
      failure =
          new EngineException(
              "rank %d sent an unexpected message (tag %d): %s"
                  .formatted(source, tag, e.getMessage()));
    }
  }

  void finish() {
    LocalEngine toTell = owner;
    mailbox = null;
    done = true;
    if (toTell != null) {
      toTell.announce();
    }
  }

  /** Done already, without any counterpart. */
  void finished() {
    mailbox = null;
    failure = null;
    done = true;
  }

  boolean isDone() {
    if (!done) {
      return false;
    }
    if (failure != null) {
      throw failure;
    }
    return true;
  }

  void cancel() {
    Mailbox in = mailbox;
    if (in != null) {
      in.remove(this);
    }
  }
}
