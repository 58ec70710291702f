// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Ever-growing 64-bit counters in a window. Each has one publisher at a time and any number of
 * readers. Whoever reads a value also sees everything that was written before it was published.
 */
public final class Counters {
  /** Two cache lines each: x86 prefetches lines in pairs. */
  private static final long SPACING = 128;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment memory;
  private final long offset;

  /** Counters that start at a byte offset of a window. */
  public Counters(MemorySegment memory, long offset) {
    this.memory = memory;
    this.offset = offset;
  }

  /** The bytes that some counters need. */
  public static long bytes(int count) {
    return count * SPACING;
  }

  public long get(int index) {
    return (long) LONG.getVolatile(memory, offset + index * SPACING);
  }

  /**
   * Publishes a value. Sequentially consistent, so that a publisher which then sees nobody asleep
   * ({@link Bell#ring}) knows that whoever goes to sleep afterwards sees the value.
   */
  public void publish(int index, long value) {
    LONG.setVolatile(memory, offset + index * SPACING, value);
  }
}
