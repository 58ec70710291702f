// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ComputeThreadsTest {
  @Test
  void theCallerIsThreadZeroAndNoNumberIsGivenTwice() throws InterruptedException {
    try (ComputeThreads threads = new ComputeThreads("test", 3, 0, _ -> {}, null)) {
      Set<Integer> numbers = ConcurrentHashMap.newKeySet();
      Thread caller = Thread.currentThread();
      CountDownLatch all = new CountDownLatch(3);
      AtomicBoolean right = new AtomicBoolean(true);
      threads.run(
          number -> {
            right.compareAndSet(true, (number == 0) == Thread.currentThread().equals(caller));
            right.compareAndSet(true, numbers.add(number));
            all.countDown();
            await(all);
          });
      assertTrue(right.get());
      assertEquals(Set.of(0, 1, 2), numbers);
    }
  }

  @Test
  void anExceptionOfTheCallerWaitsForTheOthers() {
    try (ComputeThreads threads = new ComputeThreads("test", 2, 0, _ -> {}, null)) {
      CountDownLatch helps = new CountDownLatch(1);
      CountDownLatch mayEnd = new CountDownLatch(1);
      AtomicBoolean ended = new AtomicBoolean();
      Thread releaser = Thread.ofPlatform().unstarted(mayEnd::countDown);
      assertThrows(
          IllegalStateException.class,
          () ->
              threads.run(
                  number -> {
                    if (number == 0) {
                      await(helps);
                      releaser.start();
                      throw new IllegalStateException("caller");
                    }
                    helps.countDown();
                    await(mayEnd);
                    ended.set(true);
                  }));
      assertTrue(ended.get());
    }
  }

  /** Threads of an executor may come at any time, also when the work is done. */
  @Test
  void whoComesLateFindsNothingToDo() {
    List<Runnable> lent = new ArrayList<>();
    try (ComputeThreads threads = new ComputeThreads("test", 3, 0, _ -> {}, lent::add)) {
      AtomicBoolean others = new AtomicBoolean();
      threads.run(number -> others.compareAndSet(false, number > 0));
      assertEquals(2, lent.size());
      lent.forEach(Runnable::run);
      assertFalse(others.get());
    }
  }

  /** A caller that was interrupted leaves its core to those that it waits for, and stays so. */
  @Test
  void anInterruptedCallerParks() {
    try (ComputeThreads threads = new ComputeThreads("test", 2, 0, _ -> {}, null)) {
      Thread caller = Thread.currentThread();
      CountDownLatch helps = new CountDownLatch(1);
      CountDownLatch interrupted = new CountDownLatch(1);
      AtomicBoolean parked = new AtomicBoolean();
      threads.run(
          number -> {
            if (number == 0) {
              await(helps);
              caller.interrupt();
              interrupted.countDown();
            } else {
              helps.countDown();
              await(interrupted);
              parked.set(parksWithin20Seconds(caller));
            }
          });
      assertTrue(Thread.interrupted());
      assertTrue(parked.get());
    }
  }

  @Test
  void aHelperThatWasInterruptedParks() {
    try (ComputeThreads threads = new ComputeThreads("test", 2, 0, _ -> {}, null)) {
      CompletableFuture<Thread> helper = new CompletableFuture<>();
      threads.run(
          number -> {
            if (number == 0) {
              helper.orTimeout(20, TimeUnit.SECONDS).join();
            } else {
              Thread.currentThread().interrupt();
              helper.complete(Thread.currentThread());
            }
          });
      assertTrue(parksWithin20Seconds(helper.join()));
    }
  }

  /** A thread that is still interrupted does not park: it looks again and again. */
  private static boolean parksWithin20Seconds(Thread thread) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (thread.isInterrupted() || thread.getState() != Thread.State.WAITING) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
