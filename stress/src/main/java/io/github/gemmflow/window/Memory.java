// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Native memory for the states of a stress test. Each state needs some, as in a window, and there
 * are millions of them: so they share one allocation, and a state gets memory that one long gone
 * had before. Thread-safe, since the actors make the next states.
 */
final class Memory {
  /** A counter or a bell has 128 bytes; no state needs more than two, and some room for data. */
  private static final long BYTES = 512;

  /** Many times more than are alive at a time. */
  private static final long STATES = 1 << 17;

  private static final MemorySegment ALL = Arena.global().allocate(BYTES * STATES, BYTES);
  private static final AtomicLong NEXT = new AtomicLong();

  private Memory() {}

  static MemorySegment next() {
    return ALL.asSlice(NEXT.getAndIncrement() % STATES * BYTES, BYTES).fill((byte) 0);
  }
}
