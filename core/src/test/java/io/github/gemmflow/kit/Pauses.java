// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The times at which the machine, or one processor of it, stands still: a rank that is well then
 * misses its deadline as one that is lost does. As an extension of a test class it repeats a test,
 * at most seven times, that failed while that was so; it says so.
 */
public final class Pauses implements InvocationInterceptor {
  /** A test with deadlines; throws if it fails. */
  @FunctionalInterface
  public interface Trial {
    void run() throws Throwable;
  }

  private static final int MOST = 8;
  private static final long TICK_NANOS = 5_000_000;

  /** Later than that a thread is not woken, unless the machine stands still. */
  private static final long LATE_NANOS = 10_000_000;

  /** How often it is asked what a hypervisor took. */
  private static final int TICKS_PER_LOOK = 20;

  private static final long LOOK_NANOS = TICKS_PER_LOOK * TICK_NANOS;

  /** What spoils a test. */
  private static final long TOO_MUCH_NANOS = 200_000_000;

  /** Which word of a line of /proc/stat counts stolen time, and in what. */
  private static final int STOLEN = 8;

  private static final long NANOS_PER_COUNT = 10_000_000;

  private static final AtomicLong LOST = new AtomicLong();

  static {
    Thread.ofPlatform().daemon().name("pauses").start(Pauses::watch);
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> test,
      ExtensionContext extension)
      throws Throwable {
    intercept(invocation, test);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> test,
      ExtensionContext extension)
      throws Throwable {
    intercept(invocation, test);
  }

  private static void intercept(
      Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> test)
      throws Throwable {
    boolean[] again = new boolean[1];
    retry(
        () -> {
          if (again[0]) {
            repeat(test);
          } else {
            again[0] = true;
            invocation.proceed();
          }
        });
  }

  private static void repeat(ReflectiveInvocationContext<Method> test) throws Throwable {
    try {
      test.getExecutable().setAccessible(true);
      test.getExecutable().invoke(test.getTarget().orElseThrow(), test.getArguments().toArray());
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Runs a trial; again, at most seven times, if it failed while the machine stood still. */
  public static void retry(Trial trial) throws Throwable {
    for (int i = 1; ; i++) {
      long before = LOST.get();
      try {
        trial.run();
        return;
      } catch (Exception | AssertionError e) {
        long lost = LOST.get() - before;
        if (lost < TOO_MUCH_NANOS || i == MOST) {
          throw e;
        }
        System.out.printf(
            "Pauses: again, because the machine stood still for %d ms: %s%n", lost / 1_000_000, e);
      }
    }
  }

  /** A clock that stands still while the machine does, in nanoseconds. */
  public static long clock() {
    return System.nanoTime() - LOST.get();
  }

  private static void watch() {
    long before = System.nanoTime();
    long[] stolenBefore = stolenNanos();
    long late = 0;
    for (int tick = 1; ; tick++) {
      LockSupport.parkNanos(TICK_NANOS);
      long now = System.nanoTime();
      if (now - before > LATE_NANOS) {
        LOST.addAndGet(now - before - TICK_NANOS);
        late += now - before - TICK_NANOS;
      }
      before = now;
      if (tick % TICKS_PER_LOOK == 0) {
        // This thread may have run on another processor than the one that stood still.
        long[] stolen = stolenNanos();
        long most = most(stolenBefore, stolen);
        if (most > LOOK_NANOS / 2 && most > late) {
          LOST.addAndGet(most - late);
        }
        stolenBefore = stolen;
        late = 0;
      }
    }
  }

  private static long most(long[] before, long[] now) {
    long most = 0;
    for (int i = 0; i < Math.min(before.length, now.length); i++) {
      most = Math.max(most, now[i] - before[i]);
    }
    return most;
  }

  /**
   * What a hypervisor has taken from each processor, see proc_stat(5); none where it is unknown.
   */
  private static long[] stolenNanos() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
      return lines
          .filter(line -> line.matches("cpu\\d+ .*"))
          .mapToLong(line -> Long.parseLong(line.split(" ", -1)[STOLEN]) * NANOS_PER_COUNT)
          .toArray();
    } catch (IOException e) {
      return new long[0];
    }
  }
}
