// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The place in a window where the first process that gives up says why, for all others to see. Each
 * writes its reason into room of its own, and only then tries to be the first; so whoever sees that
 * something is broken sees the whole reason. Thread-safe.
 */
public final class Breakage {
  private static final long TEXT_BYTES = 2040;
  private static final long ROOM = TEXT_BYTES + Long.BYTES;
  private static final VarHandle FIRST = ValueLayout.JAVA_INT.varHandle();
  private static final int NOBODY = 0;

  private final MemorySegment memory;
  private final int writer;
  private boolean told;

  /**
   * The breakage at the start of a window.
   *
   * @param writer this process's number among those that share the window, from 0
   */
  public Breakage(MemorySegment memory, int writer) {
    this.memory = memory;
    this.writer = writer;
  }

  /** The bytes that one needs for so many processes. */
  public static long bytes(int writers) {
    return (writers + 1) * ROOM;
  }

  private static long room(int writer) {
    return (writer + 1) * ROOM;
  }

  /** Says why, once; only the first reason of all processes counts. */
  public synchronized void tell(String reason) {
    if (told || isBroken()) {
      return;
    }
    told = true;
    byte[] text = reason.getBytes(UTF_8);
    if (text.length > TEXT_BYTES) {
      text = Arrays.copyOf(text, (int) TEXT_BYTES);
    }
    long room = room(writer);
    memory.set(ValueLayout.JAVA_INT, room, text.length);
    MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, room + Long.BYTES, text.length);
    FIRST.compareAndSet(memory, 0L, NOBODY, writer + 1);
  }

  public boolean isBroken() {
    return (int) FIRST.getVolatile(memory, 0L) != NOBODY;
  }

  /** The first reason; empty if there is none. */
  public String reason() {
    int first = (int) FIRST.getVolatile(memory, 0L);
    if (first == NOBODY) {
      return "";
    }
    long room = room(first - 1);
    byte[] text = new byte[memory.get(ValueLayout.JAVA_INT, room)];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, room + Long.BYTES, text, 0, text.length);
    return new String(text, UTF_8);
  }
}
