// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import io.github.gemmflow.engine.Channel;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.mpi.binding.Mpi;
import io.github.gemmflow.mpi.binding.MpiException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A block on its way, in one message or, if it is larger than the limit or its rows are wide, in
 * several. The cut depends on rows and bytes per row only, so that both ends cut alike, whatever
 * their strides.
 */
final class MpiTransfer implements Pending {
  /**
   * Rows wider than this travel in pieces, which need no handshake; narrower ones are put together
   * by the plan, as many as fit. Measured between 2 hosts at 1 Gbit/s, 32 MiB each way in rows of
   * 64 KiB: whole they take 1.4 (Open MPI) and 1.6 times (MPICH) as long as in pieces, which take
   * as long as MPI_Allgatherv.
   */
  private static final long WIDE_ROW_BYTES = 56 << 10;

  private static final long ANY_NUMBER = -1;

  private final MpiEngine engine;
  private final long comm;
  private boolean receives;
  private boolean takesLess;
  private boolean synchronous;
  private int peer;
  private int tag;
  private int[] places = new int[1];
  private long[] expected = new long[1];
  private int pieces;
  private int unfinished;
  private @Nullable EngineException failure;

  MpiTransfer(MpiEngine engine, long comm) {
    this.engine = engine;
    this.comm = comm;
  }

  void send(int target, int newTag, Block block, boolean newSynchronous) {
    receives = false;
    takesLess = false;
    synchronous = newSynchronous;
    start(target, newTag, block);
  }

  /**
   * Starts to receive.
   *
   * @param upTo whether what comes may be shorter
   */
  void receive(int source, int newTag, Block block, boolean upTo) {
    receives = true;
    takesLess = upTo;
    start(source, newTag, block);
  }

  private void start(int newPeer, int newTag, Block block) {
    peer = newPeer;
    tag = newTag;
    pieces = 0;
    unfinished = 0;
    failure = null;
    long limit = engine.messageLimit();
    long widest = Math.min(limit, WIDE_ROW_BYTES);
    boolean isShort = block.rows() == 1 && block.rowBytes() <= Channel.SHORT_BYTES;
    if (block.bytes() == 0 || isShort) {
      startPiece(block, 0, block.rows(), 0, block.rowBytes());
    } else if (block.rowBytes() <= widest) {
      long rowsPerPiece = limit / block.rowBytes();
      for (long row = 0; row < block.rows(); row += rowsPerPiece) {
        long rows = Math.min(rowsPerPiece, block.rows() - row);
        startPiece(block, row, rows, 0, block.rowBytes());
      }
    } else {
      long piece = Math.ceilDiv(block.rowBytes(), Math.ceilDiv(block.rowBytes(), widest));
      for (long row = 0; row < block.rows(); row++) {
        for (long from = 0; from < block.rowBytes(); from += piece) {
          startPiece(block, row, 1, from, Math.min(piece, block.rowBytes() - from));
        }
      }
    }
  }

  /** Starts with some columns of some rows. */
  private void startPiece(Block block, long row, long rows, long from, long rowBytes) {
    long bytes = rows * rowBytes;
    if (bytes == 0) {
      add(start(MemorySegment.NULL, 0, engine.mpi().byteType()), bytes);
      return;
    }
    long offset = block.offset() + row * block.stride() + from;
    long span = (rows - 1) * block.stride() + rowBytes;
    MemorySegment memory = block.memory().asSlice(offset, span);
    if (span == bytes) {
      add(start(memory, (int) bytes, engine.mpi().byteType()), bytes);
      return;
    }
    Mpi mpi = engine.mpi();
    long type = mpi.stridedType((int) rows, (int) rowBytes, block.stride());
    try {
      add(start(memory, 1, type), bytes);
    } finally {
      mpi.freeType(type);
    }
  }

  private long start(MemorySegment memory, int count, long type) {
    Mpi mpi = engine.mpi();
    if (receives) {
      return mpi.irecv(memory, count, type, peer, tag, comm);
    }
    return synchronous
        ? mpi.issend(memory, count, type, peer, tag, comm)
        : mpi.isend(memory, count, type, peer, tag, comm);
  }

  private void add(long request, long bytes) {
    if (pieces == places.length) {
      places = Arrays.copyOf(places, 2 * pieces);
      expected = Arrays.copyOf(expected, 2 * pieces);
    }
    places[pieces] = engine.add(request, this);
    expected[pieces] = receives && !takesLess ? bytes : ANY_NUMBER;
    pieces++;
    unfinished++;
  }

  @Override
  public void completed(int place, long bytes, @Nullable MpiException cause) {
    unfinished--;
    long wanted = expected[piece(place)];
    if (cause != null) {
      failure =
          new EngineException(
              "a transfer %s rank %d failed (tag %d): %s"
                  .formatted(receives ? "from" : "to", peer, tag, cause.getMessage()),
              cause);
    } else if (wanted != ANY_NUMBER && wanted != bytes) {
      failure =
          new EngineException(
              "rank %d sent an unexpected message (tag %d): %d bytes instead of %d"
                  .formatted(peer, tag, bytes, wanted));
    }
  }

  /** The latest piece that had this place: earlier ones that did are over. */
  private int piece(int place) {
    int piece = pieces - 1;
    while (places[piece] != place) {
      piece--;
    }
    return piece;
  }

  boolean isDone() {
    if (failure != null) {
      throw failure;
    }
    return unfinished == 0;
  }

  /** Gives up; returns whether the library will certainly not touch the block any more. */
  boolean cancel() {
    boolean clean = true;
    for (int piece = 0; piece < pieces; piece++) {
      if (engine.owner(places[piece]) == this) {
        clean &= engine.cancel(places[piece], receives);
      }
    }
    return clean;
  }
}
