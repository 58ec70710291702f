// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The place in a window where the first rank that gives up says why, for all others to see. Written
 * at most once. Thread-safe.
 */
public final class Breakage {
  private static final long TEXT_BYTES = 4080;
  private static final long LENGTH = Integer.BYTES;
  private static final long TEXT = 2 * Integer.BYTES;
  private static final VarHandle STATE = ValueLayout.JAVA_INT.varHandle();

  private static final int WHOLE = 0;
  private static final int WRITING = 1;
  private static final int BROKEN = 2;

  /** How long a reader waits for a text that is being written. */
  private static final long WRITING_NANOS = 10_000_000;

  private final MemorySegment memory;

  /** The breakage at the start of a window. */
  public Breakage(MemorySegment memory) {
    this.memory = memory.asSlice(0, bytes());
  }

  /** The bytes that one needs. */
  public static long bytes() {
    return TEXT + TEXT_BYTES;
  }

  /**
   * Says why; only the first reason is kept.
   *
   * @return whether this was the first
   */
  public boolean tell(String reason) {
    if (!STATE.compareAndSet(memory, 0L, WHOLE, WRITING)) {
      return false;
    }
    byte[] text = reason.getBytes(UTF_8);
    if (text.length > TEXT_BYTES) {
      text = Arrays.copyOf(text, (int) TEXT_BYTES);
    }
    memory.set(ValueLayout.JAVA_INT, LENGTH, text.length);
    MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, TEXT, text.length);
    STATE.setVolatile(memory, 0L, BROKEN);
    return true;
  }

  public boolean isBroken() {
    return (int) STATE.getVolatile(memory, 0L) != WHOLE;
  }

  /** The first reason; empty if there is none, or its writer died while writing it. */
  public String reason() {
    long start = System.nanoTime();
    while ((int) STATE.getVolatile(memory, 0L) != BROKEN) {
      if (System.nanoTime() - start > WRITING_NANOS) {
        return "";
      }
      Thread.onSpinWait();
    }
    byte[] text = new byte[memory.get(ValueLayout.JAVA_INT, LENGTH)];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, TEXT, text, 0, text.length);
    return new String(text, UTF_8);
  }
}
