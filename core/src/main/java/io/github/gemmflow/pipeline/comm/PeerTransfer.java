// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.Breakable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * Bytes of any number on their way between two ranks of a group, in pieces: first how many they
 * are, then the bytes. They pass through memory of its own, so that an engine that does not let go
 * of a piece never touches that of a program.
 */
final class PeerTransfer implements CommAgent {
  /** Bytes of a piece, each of which costs a message. */
  private static final long PIECE_BYTES = 1 << 20;

  /** A piece travels as rows, because an engine may cut a wide row. The last row is filled up. */
  private static final long ROW_BYTES = 4 << 10;

  private static final int IN_FLIGHT = 4;

  private static final int NO_REQUEST = -1;

  private final CommThread thread;
  private final Channel channel;
  private final Breakable ranks;
  private final boolean receives;
  private final int peer;
  private final MemorySegment bytes;
  private final long pieces;
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private final Block block = new Block();

  /** Not closed unless the engine is done with it. */
  private final Arena arena = Arena.ofShared();

  private final MemorySegment room;
  private final MemorySegment length;
  private final int[] requests = new int[IN_FLIGHT];
  private int lengthRequest = NO_REQUEST;
  private boolean lengthIsKnown;
  private long started;
  private long finished;
  private long arrivedBefore;
  private long arrived;

  /**
   * Not yet under way.
   *
   * @param receives whether the bytes come from the peer; otherwise they go there
   * @param bytes where they come to or from; not touched any more once {@link #over} is complete
   */
  PeerTransfer(
      CommThread thread,
      Channel channel,
      Breakable ranks,
      boolean receives,
      int peer,
      MemorySegment bytes) {
    this.thread = thread;
    this.channel = channel;
    this.ranks = ranks;
    this.receives = receives;
    this.peer = peer;
    this.bytes = bytes;
    this.pieces = Math.ceilDiv(bytes.byteSize(), PIECE_BYTES);
    this.length = arena.allocate(JAVA_LONG);
    this.room = arena.allocate(Math.min(pieces, IN_FLIGHT) * PIECE_BYTES, Long.BYTES);
  }

  /** The tag of all these; others have lower ones. */
  static int tag(Channel channel) {
    return channel.mostTag();
  }

  /** Completed when all is there, or nothing more comes. */
  CompletableFuture<Boolean> over() {
    return over;
  }

  @Override
  public int poll() {
    if (ranks.isBroken()) {
      giveUp(ranks.broken());
      return 1;
    }
    if (!lengthIsKnown) {
      return pollLength();
    }
    int done;
    try {
      done = finishPieces() + startPieces();
    } catch (IllegalStateException e) {
      // The program's memory is gone, and the peer waits.
      ranks.breakUp("rank %d: %s".formatted(channel.rank(), e.getMessage()));
      giveUp(e);
      return 1;
    }
    if (finished == pieces) {
      end();
      over.complete(true);
    }
    return done;
  }

  private int pollLength() {
    if (lengthRequest == NO_REQUEST) {
      length.set(JAVA_LONG, 0, bytes.byteSize());
      lengthRequest = start(block.at(length, 0, 1, Long.BYTES, Long.BYTES));
      return 1;
    }
    if (!channel.isDone(lengthRequest)) {
      return 0;
    }
    lengthRequest = NO_REQUEST;
    lengthIsKnown = true;
    long theirs = length.get(JAVA_LONG, 0);
    if (theirs != bytes.byteSize()) {
      String reason =
          "rank %d receives %,d bytes from rank %d, which sends %,d"
              .formatted(channel.rank(), bytes.byteSize(), peer, theirs);
      // The sender waits for somebody who takes them.
      ranks.breakUp(reason);
      giveUp(new IllegalArgumentException(reason));
    }
    return 1;
  }

  private int start(Block what) {
    return receives
        ? channel.receive(peer, tag(channel), what)
        : channel.send(peer, tag(channel), what, false);
  }

  private int startPieces() {
    int done = 0;
    for (; started < pieces && started - finished < IN_FLIGHT; started++, done++) {
      if (!receives) {
        MemorySegment.copy(bytes, started * PIECE_BYTES, room, place(started), pieceBytes(started));
      }
      long rows = Math.ceilDiv(pieceBytes(started), ROW_BYTES);
      requests[slot(started)] = start(block.at(room, place(started), rows, ROW_BYTES, ROW_BYTES));
    }
    return done;
  }

  private int finishPieces() {
    int done = 0;
    for (; finished < started && channel.isDone(requests[slot(finished)]); finished++, done++) {
      if (receives) {
        MemorySegment.copy(
            room, place(finished), bytes, finished * PIECE_BYTES, pieceBytes(finished));
        arrived += pieceBytes(finished);
      }
    }
    return done;
  }

  private long pieceBytes(long piece) {
    return Math.min(PIECE_BYTES, bytes.byteSize() - piece * PIECE_BYTES);
  }

  private static int slot(long piece) {
    return (int) (piece % IN_FLIGHT);
  }

  private static long place(long piece) {
    return slot(piece) * PIECE_BYTES;
  }

  private void giveUp(RuntimeException cause) {
    boolean clean = lengthRequest == NO_REQUEST || channel.cancel(lengthRequest);
    for (; finished < started; finished++) {
      clean &= channel.cancel(requests[slot(finished)]);
    }
    if (clean) {
      end();
    } else {
      thread.remove(this);
    }
    over.completeExceptionally(cause);
  }

  private void end() {
    thread.remove(this);
    arena.close();
  }

  @Override
  public int underWay() {
    return 1;
  }

  @Override
  public long toCome() {
    return receives ? bytes.byteSize() - arrived : 0;
  }

  @Override
  public long takeReceived() {
    long since = arrived - arrivedBefore;
    arrivedBefore = arrived;
    return since;
  }

  @Override
  public void fail(EngineException failure) {
    thread.remove(this);
    over.completeExceptionally(failure);
  }
}
