// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * Sleeping on a 32-bit word in shared memory, across processes: futex(2). Thread-safe.
 *
 * <p>Return values are ignored on purpose: a wait that ends early, by a signal, a changed word or
 * the timeout, is followed by another look at the condition in any case.
 */
public final class Futex {
  // include/uapi/linux/futex.h; without FUTEX_PRIVATE_FLAG, because other processes wake us.
  private static final int FUTEX_WAIT = 0;
  private static final int FUTEX_WAKE = 1;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final MethodHandle syscall;
  private final long number;

  private Futex(MethodHandle syscall, long number) {
    this.syscall = syscall;
    this.number = number;
  }

  /**
   * Binds the system call.
   *
   * @throws UnsupportedOperationException if this is not a Linux that we know
   * @throws IllegalCallerException if native access is denied to this module
   */
  @SuppressWarnings("restricted") // the one native call of this module
  public static Futex load() {
    Linker linker = Linker.nativeLinker();
    String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    // asm/unistd_64.h on x86-64, asm-generic/unistd.h on AArch64.
    long number =
        switch (system.toLowerCase(Locale.ROOT)) {
          case "linux amd64" -> 202;
          case "linux aarch64" -> 98;
          default -> throw new UnsupportedOperationException("no futex on " + system);
        };
    MethodHandle syscall =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT),
            Linker.Option.firstVariadicArg(1));
    return new Futex(syscall, number);
  }

  /** Room for one thread's timeouts. */
  public static MemorySegment newTimespec() {
    return Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);
  }

  /**
   * Sleeps while the word holds {@code expected}, for at most {@code nanos}.
   *
   * @param timespec from {@link #newTimespec}, used by one thread at a time
   */
  public void await(MemorySegment word, int expected, long nanos, MemorySegment timespec) {
    timespec.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
    timespec.set(JAVA_LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
    call(word, FUTEX_WAIT, expected, timespec);
  }

  /** Wakes every thread, of any process, that sleeps on the word. */
  public void wakeAll(MemorySegment word) {
    call(word, FUTEX_WAKE, Integer.MAX_VALUE, MemorySegment.NULL);
  }

  private void call(MemorySegment word, int operation, int value, MemorySegment timespec) {
    try {
      long _ =
          (long)
              syscall.invokeExact(number, word, operation, value, timespec, MemorySegment.NULL, 0);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native call throws nothing checked", e);
    }
  }
}
