// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.gemmflow.engine.Exchange;
import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.mpi.binding.MpiException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An exchange as two collectives: first how many bytes each rank brings, then the bytes. */
final class MpiExchange implements Exchange, Pending {
  private final MpiEngine engine;
  private final MpiChannel channel;

  /** Whoever has the turn finds it complete: a compute thread, perhaps, that helps. */
  private final Arena arena = Arena.ofShared();

  private final byte[] mine;
  private final byte[][] all;
  private final MemorySegment counts;
  private final MemorySegment offsets;
  private MemorySegment bytes = MemorySegment.NULL;
  private boolean knowsCounts;
  private boolean done;
  private @Nullable EngineException failure;

  MpiExchange(MpiEngine engine, MpiChannel channel, byte[] mine) {
    this.engine = engine;
    this.channel = channel;
    this.mine = mine.clone();
    this.all = new byte[channel.size()][];
    this.counts = arena.allocate(JAVA_INT, channel.size());
    this.offsets = arena.allocate(JAVA_INT, channel.size());
  }

  void start() {
    MemorySegment count = arena.allocateFrom(JAVA_INT, mine.length);
    engine.add(engine.mpi().iallgather(count, Integer.BYTES, counts, channel.comm()), this);
  }

  @Override
  public void completed(int place, long received, @Nullable MpiException cause) {
    if (cause != null) {
      failure = new EngineException("an exchange failed: " + cause.getMessage(), cause);
    } else if (knowsCounts) {
      finish();
    } else {
      knowsCounts = true;
      exchangeBytes();
    }
  }

  private void exchangeBytes() {
    long total = 0;
    for (int rank = 0; rank < all.length; rank++) {
      offsets.setAtIndex(JAVA_INT, rank, (int) total);
      total += counts.getAtIndex(JAVA_INT, rank);
    }
    if (total > Integer.MAX_VALUE) {
      failure = new EngineException("an exchange of %,d bytes is too large".formatted(total));
      return;
    }
    bytes = arena.allocate(Math.max(1, total));
    MemorySegment source = arena.allocate(Math.max(1, mine.length));
    MemorySegment.copy(mine, 0, source, JAVA_BYTE, 0, mine.length);
    engine.add(
        engine.mpi().iallgatherv(source, mine.length, bytes, counts, offsets, channel.comm()),
        this);
  }

  private void finish() {
    for (int rank = 0; rank < all.length; rank++) {
      all[rank] = new byte[counts.getAtIndex(JAVA_INT, rank)];
      MemorySegment.copy(
          bytes, JAVA_BYTE, offsets.getAtIndex(JAVA_INT, rank), all[rank], 0, all[rank].length);
    }
    arena.close();
    done = true;
    channel.exchangeIsOver();
  }

  @Override
  public boolean isDone() {
    if (failure != null) {
      throw failure;
    }
    return done;
  }

  @Override
  public byte[][] result() {
    return all.clone();
  }
}
