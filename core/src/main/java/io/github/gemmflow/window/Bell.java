// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Bell that the threads of one process sleep on, in a window where other processes can ring it.
 * Ringing costs a system call only while someone sleeps.
 *
 * <p>A sleeper announces itself, looks at its condition again, and only then sleeps; a publisher
 * publishes first and looks for sleepers afterwards. Both orders are sequentially consistent, so
 * one of the two always sees the other. Thread-safe.
 */
public final class Bell {
  private static final long SPACING = 128;
  private static final long SLEEPERS = Integer.BYTES;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment word;
  private final Sleeping sleeping;

  /**
   * One of the bells at the start of a window.
   *
   * @param index which
   */
  public Bell(MemorySegment memory, int index) {
    this.word = memory.asSlice(index * SPACING, SPACING);
    this.sleeping = Sleeping.best();
  }

  /** The bytes that some bells need. */
  public static long bytes(int count) {
    return count * SPACING;
  }

  /** Wakes all threads that sleep on this bell. Call it after publishing what they wait for. */
  public void ring() {
    if (hasSleepers()) {
      int _ = (int) INT.getAndAdd(word, 0L, 1);
      sleeping.wakeAll(word);
    }
  }

  /** Whether a thread sleeps on this bell, or is about to. */
  public boolean hasSleepers() {
    return (int) INT.getVolatile(word, SLEEPERS) != 0;
  }

  /**
   * Announces a sleeper. Between this and {@link #leave} it looks at its condition once more.
   *
   * @return the ticket for {@link #sleep}
   */
  int enter() {
    int _ = (int) INT.getAndAdd(word, SLEEPERS, 1);
    return (int) INT.getVolatile(word, 0L);
  }

  /** Sleeps until the bell is rung, unless it was since {@code ticket} was given. */
  void sleep(int ticket, long nanos, MemorySegment scratch) {
    sleeping.await(word, ticket, nanos, scratch);
  }

  void leave() {
    int _ = (int) INT.getAndAdd(word, SLEEPERS, -1);
  }
}
