// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static java.lang.System.Logger.Level.DEBUG;
import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.window.linux.Futex;
import io.github.gemmflow.window.linux.TimerSlack;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Sleep of a thread on a word of a window. Thread-safe. */
interface Sleeping {
  /** Sleeps while the word holds {@code expected}, for at most {@code nanos}; may return early. */
  void await(MemorySegment word, int expected, long nanos, MemorySegment scratch);

  /** Wakes every thread that sleeps on the word. */
  void wakeAll(MemorySegment word);

  /** Lets the calling thread wake when the time of a sleep is over, and not later. */
  void wakeOnTime();

  /** The best that this machine has; found once. */
  static Sleeping best() {
    return Best.INSTANCE;
  }

  /** Holds the choice. */
  final class Best {
    private static final System.Logger LOG = System.getLogger("io.github.gemmflow");
    private static final Sleeping INSTANCE = choose();

    private Best() {}

    private static Sleeping choose() {
      try {
        Sleeping futex = new OnFutex(Futex.load(), TimerSlack.load());
        LOG.log(DEBUG, "waiting threads sleep on a futex");
        return futex;
      } catch (UnsupportedOperationException e) {
        LOG.log(
            WARNING, "waiting threads poll every 100 us, which adds latency: " + e.getMessage());
      } catch (IllegalCallerException e) {
        LOG.log(
            WARNING,
            "waiting threads poll every 100 us, which adds latency: native access is denied; "
                + "run java with --enable-native-access=io.github.gemmflow.core, on the class "
                + "path with --enable-native-access=ALL-UNNAMED");
      }
      return new Parked();
    }
  }

  /** Sleeps in the kernel until woken. */
  record OnFutex(Futex futex, TimerSlack slack) implements Sleeping {
    /** Some processors take a microsecond to wake a thread in any case. */
    private static final long SLACK_NANOS = 1_000;

    @Override
    public void await(MemorySegment word, int expected, long nanos, MemorySegment scratch) {
      futex.await(word, expected, nanos, scratch);
    }

    @Override
    public void wakeAll(MemorySegment word) {
      futex.wakeAll(word);
    }

    @Override
    public void wakeOnTime() {
      slack.setOfCaller(SLACK_NANOS);
    }
  }

  /** Looks again and again, with a short sleep in between: works on every machine. */
  final class Parked implements Sleeping {
    private static final long LOOK_NANOS = 100_000;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    @Override
    public void await(MemorySegment word, int expected, long nanos, MemorySegment scratch) {
      long end = System.nanoTime() + nanos;
      Parking.until(
          () -> end - System.nanoTime() <= 0 || (int) INT.getVolatile(word, 0L) != expected,
          () -> LockSupport.parkNanos(Math.min(end - System.nanoTime(), LOOK_NANOS)));
    }

    @Override
    public void wakeAll(MemorySegment word) {}

    @Override
    public void wakeOnTime() {}
  }
}
