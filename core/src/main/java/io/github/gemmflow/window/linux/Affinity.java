// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.BitSet;

/** CPUs that threads may run on: sched_setaffinity(2). Thread-safe. */
public final class Affinity {
  /** Room for 8,192 CPUs, which is as many as Linux can be built for. */
  private static final int MASK_BYTES = 1024;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

  private final MethodHandle get;
  private final MethodHandle set;

  private Affinity(MethodHandle get, MethodHandle set) {
    this.get = get;
    this.set = set;
  }

  /**
   * Binds the functions.
   *
   * @throws UnsupportedOperationException if this is not Linux
   * @throws IllegalCallerException if native access is denied to this module
   */
  public static Affinity load() {
    return load(System.getProperty("os.name"));
  }

  static Affinity load(String system) {
    if (!system.equals("Linux")) {
      throw new UnsupportedOperationException(
          "threads can be pinned to cores on Linux only, not on %s: set gemmflow.pin to none"
              .formatted(system));
    }
    return new Affinity(bind("sched_getaffinity"), bind("sched_setaffinity"));
  }

  @SuppressWarnings("restricted") // the native calls that this package is for
  private static MethodHandle bind(String name) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name),
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
        Linker.Option.captureCallState("errno"));
  }

  /** The CPUs that this process was started with, whatever its threads were told since. */
  public BitSet ofProcess() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
      // The first thread of a process has its number; the JVM does nothing with that thread.
      call(get, arena, Math.toIntExact(ProcessHandle.current().pid()), mask);
      return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  /**
   * Lets the calling thread run on these CPUs only. Threads that it starts inherit that.
   *
   * @throws IllegalStateException if Linux refuses
   */
  public void bindCaller(BitSet cpus) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
      mask.copyFrom(MemorySegment.ofArray(cpus.toByteArray()));
      call(set, arena, 0, mask);
    }
  }

  private static void call(MethodHandle function, Arena arena, int thread, MemorySegment mask) {
    MemorySegment state = arena.allocate(STATE);
    try {
      if ((int) function.invokeExact(state, thread, (long) MASK_BYTES, mask) != 0) {
        throw new IllegalStateException(
            "Linux does not allow this process to choose its CPUs (error %d): set gemmflow.pin to none"
                .formatted((int) ERRNO.get(state, 0L)));
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native call throws nothing checked", e);
    }
  }
}
