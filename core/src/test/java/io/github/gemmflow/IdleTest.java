// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.engine.Engine;
import io.github.gemmflow.kit.ForwardingEngine;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.step.Callers;
import io.github.gemmflow.tuning.Idle;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that wait look for a while and then sleep, and none takes a core from another. */
class IdleTest {
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Code that is not compiled yet takes several times as long. */
  private static final int WARM_UP = 500;

  /** An engine that wakes nobody, as MPI. */
  private static final class Silent extends ForwardingEngine {
    Silent(Engine engine) {
      super(engine);
    }

    @Override
    public boolean announces() {
      return false;
    }
  }

  @Test
  void nobodyLooksWhereThatTakesACore() {
    assertEquals(1_000_000, Idle.BALANCED.spinNanos(2, 2));
    assertEquals(10_000_000, Idle.SPIN.spinNanos(2, 2));
    for (Idle idle : Idle.values()) {
      assertEquals(0, idle.spinNanos(3, 2));
    }
    assertEquals(0, Idle.SLEEP.spinNanos(1, 2));
  }

  /** Two threads that run steps in turn: for a while, each leaves its core to the other. */
  @Test
  void callersThatTakeTurnsAreNoticed() throws Exception {
    AtomicLong now = new AtomicLong();
    Callers callers = new Callers(now::get);
    callers.note();
    callers.note();
    assertFalse(callers.areSeveral());
    Thread other = Thread.ofPlatform().start(callers::note);
    other.join();
    assertTrue(callers.areSeveral());
    now.set(TimeUnit.MILLISECONDS.toNanos(99));
    assertTrue(callers.areSeveral());
    now.set(TimeUnit.MILLISECONDS.toNanos(100));
    assertFalse(callers.areSeveral());
    callers.note();
    assertTrue(callers.areSeveral(), "this thread is another one than the last");
  }

  @ParameterizedTest
  @EnumSource(names = {"BALANCED", "SLEEP"})
  void aRankThatWaitsLongTakesNoCore(Idle idle) {
    AtomicLong nanos = new AtomicLong();
    LocalWorld.onHosts(0, 1)
        .config(Config.builder().idle(idle).build())
        .decorate(Silent::new)
        .run(
            world -> {
              try (Arena arena = Arena.ofShared();
                  Workspace space = Workspace.on(world.group()).rows(8).columns(4).open();
                  AllGather gather = AllGather.on(space).build()) {
                Matrix mine = Matrix.allocate(DType.F32, 4, 4, arena);
                Matrix all = Matrix.allocate(DType.F32, 8, 4, arena);
                for (int step = 0; step < WARM_UP; step++) {
                  gather.run(mine, all);
                }
                if (world.rank() == 1) {
                  // Being late is what is tested here.
                  long start = System.nanoTime();
                  while (System.nanoTime() - start < LATE_NANOS) {
                    LockSupport.parkNanos(LATE_NANOS);
                  }
                  gather.run(mine, all);
                } else {
                  long before = cpuNanos();
                  gather.run(mine, all);
                  nanos.set(cpuNanos() - before);
                }
              }
            });
    assertTrue(nanos.get() < LATE_NANOS / 20, () -> "%d us of CPU".formatted(nanos.get() / 1000));
  }

  /** What the calling thread, of rank 0, and the communication thread of that rank have used. */
  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = threads.getCurrentThreadCpuTime();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("gemmflow-comm-0")) {
        sum += Math.max(0, threads.getThreadCpuTime(thread.threadId()));
      }
    }
    return sum;
  }
}
