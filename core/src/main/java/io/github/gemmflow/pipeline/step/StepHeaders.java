// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Headers of steps in the window, in which every rank says which operator it runs, on how many
 * rows. There is one header per rank and slot, and a counter per rank of the headers that are
 * there.
 */
public final class StepHeaders {
  /**
   * Headers of a rank that are kept. A rank looks at a step's headers until it begins the step
   * after the next; by then the others may have begun one more.
   */
  private static final int KEPT = 2 * StepWindow.STEPS;

  public static final long BYTES = 64;
  private static final long ROWS = 0;
  private static final long OPERATOR = Long.BYTES;
  private static final long COUNTS = 2 * Long.BYTES;
  private static final long CARGO = 3 * Long.BYTES;
  private static final long STEP = 4 * Long.BYTES;

  /** In place of a hash: the rank does not know the row counts of the others yet. */
  public static final long NOT_KNOWN = 0;

  private final MemorySegment memory;
  private final long offset;
  private final int ranks;
  private final Counters arrived;
  private final int firstCounter;

  public StepHeaders(
      MemorySegment memory, long offset, int ranks, Counters arrived, int firstCounter) {
    this.memory = memory;
    this.offset = offset;
    this.ranks = ranks;
    this.arrived = arrived;
    this.firstCounter = firstCounter;
  }

  public static long bytes(int ranks) {
    return BYTES * ranks * KEPT;
  }

  /** The rank that brings a rank's headers into another host: spread by the rank's number. */
  public static int owner(Hosts hosts, int host, int rank) {
    return hosts.member(host, rank % hosts.size(host));
  }

  private long at(long step, int rank) {
    return offset + (step % KEPT * ranks + rank) * BYTES;
  }

  /**
   * Writes a header.
   *
   * @param counts a hash of the row counts of all ranks, or {@link #NOT_KNOWN}
   */
  public void write(long step, int rank, long rows, long operator, long counts) {
    memory.set(ValueLayout.JAVA_LONG, at(step, rank) + COUNTS, counts);
    memory.set(ValueLayout.JAVA_LONG, at(step, rank) + ROWS, rows);
    memory.set(ValueLayout.JAVA_LONG, at(step, rank) + OPERATOR, operator);
  }

  public long rows(long step, int rank) {
    return memory.get(ValueLayout.JAVA_LONG, at(step, rank) + ROWS);
  }

  public long operator(long step, int rank) {
    return memory.get(ValueLayout.JAVA_LONG, at(step, rank) + OPERATOR);
  }

  public long counts(long step, int rank) {
    return memory.get(ValueLayout.JAVA_LONG, at(step, rank) + COUNTS);
  }

  /**
   * Copies a header into the first {@link #BYTES} bytes of a message.
   *
   * @param cargo how many bytes follow it there
   */
  public void copyTo(MemorySegment message, long step, int rank, long cargo) {
    MemorySegment.copy(memory, at(step, rank), message, 0, BYTES);
    message.set(ValueLayout.JAVA_LONG, CARGO, cargo);
    message.set(ValueLayout.JAVA_LONG, STEP, step);
  }

  /** Copies a header from a message. */
  public void copyFrom(MemorySegment message, long step, int rank) {
    MemorySegment.copy(message, 0, memory, at(step, rank), BYTES);
  }

  /** The number of the step that the header in a message is about. */
  public static long step(MemorySegment message) {
    return message.get(ValueLayout.JAVA_LONG, STEP);
  }

  /** How many bytes follow the header in a message. */
  public static long cargo(MemorySegment message) {
    return message.get(ValueLayout.JAVA_LONG, CARGO);
  }

  /** Says that a rank's header of a step is complete. */
  public void publish(int rank, long step) {
    arrived.publish(firstCounter + rank, step + 1);
  }

  public boolean isThere(int rank, long step) {
    return begun(rank) > step;
  }

  /** How many steps a rank has begun, as far as is known here. */
  public long begun(int rank) {
    return arrived.get(firstCounter + rank);
  }
}
