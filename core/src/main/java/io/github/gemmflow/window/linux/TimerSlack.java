// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * How much later than asked for Linux may wake a thread, to wake several at once: prctl(2). A
 * thread has 50 us unless told otherwise, so that a sleep of 20 us takes 74. Thread-safe.
 */
public final class TimerSlack {
  // include/uapi/linux/prctl.h
  private static final int PR_SET_TIMERSLACK = 29;
  private static final int PR_GET_TIMERSLACK = 30;

  private final MethodHandle prctl;

  private TimerSlack(MethodHandle prctl) {
    this.prctl = prctl;
  }

  /**
   * Binds the function.
   *
   * @throws IllegalCallerException if native access is denied to this module
   */
  @SuppressWarnings("restricted") // the native call that this package is for
  public static TimerSlack load() {
    Linker linker = Linker.nativeLinker();
    return new TimerSlack(
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("prctl"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG),
            Linker.Option.firstVariadicArg(1)));
  }

  /**
   * Sets that of the calling thread, in nanoseconds; threads that it starts inherit it. A Linux
   * that refuses keeps what it has: no sleep becomes wrong by that.
   */
  public void setOfCaller(long nanos) {
    int _ = call(PR_SET_TIMERSLACK, nanos);
  }

  /** That of the calling thread, in nanoseconds. */
  public long ofCaller() {
    return call(PR_GET_TIMERSLACK, 0);
  }

  private int call(int option, long argument) {
    try {
      return (int) prctl.invokeExact(option, argument);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a native call throws nothing checked", e);
    }
  }
}
