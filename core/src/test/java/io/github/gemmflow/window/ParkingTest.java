// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParkingTest {
  /** Whether the thread was interrupted whenever it wanted to park: then it could not. */
  private final List<Boolean> parks = new ArrayList<>();

  private void park() {
    parks.add(Thread.currentThread().isInterrupted());
  }

  @AfterEach
  void goOn() {
    boolean _ = Thread.interrupted();
  }

  @Test
  void anInterruptedThreadParksAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    Parking.until(() -> parks.size() == 4, this::park);
    assertEquals(List.of(true, false, false, false), parks);
    assertTrue(Thread.interrupted());
  }

  @Test
  void anInterruptWhileItParksIsKeptForLater() {
    Parking.until(
        () -> parks.size() == 4,
        () -> {
          park();
          if (parks.size() == 2) {
            Thread.currentThread().interrupt();
          }
        });
    assertEquals(List.of(false, false, false, false), parks);
    assertTrue(Thread.interrupted());
  }

  @Test
  void nobodyIsInterruptedForNothing() {
    Parking.until(() -> parks.size() == 2, this::park);
    assertFalse(Thread.interrupted());
    Parking.until(() -> true, this::park);
    assertEquals(2, parks.size());
  }

  @Test
  void anInterruptIsNotLostIfItEndsWithAnException() {
    Thread.currentThread().interrupt();
    assertThrows(
        IllegalStateException.class,
        () ->
            Parking.until(
                () -> {
                  if (parks.size() == 2) {
                    throw new IllegalStateException("broken");
                  }
                  return false;
                },
                this::park));
    assertEquals(List.of(true, false), parks);
    assertTrue(Thread.interrupted());
  }

  /** Where there is no futex. A thread that is still interrupted would look again and again. */
  @Test
  void aSleeperWithoutFutexParksAndStaysInterrupted() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment word = arena.allocate(4, 4);
      AtomicBoolean interrupted = new AtomicBoolean();
      Thread sleeper =
          Thread.ofPlatform()
              .start(
                  () -> {
                    Thread.currentThread().interrupt();
                    long nanos = TimeUnit.MINUTES.toNanos(1);
                    new Sleeping.Parked().await(word, 0, nanos, arena.allocate(16, 8));
                    interrupted.set(Thread.interrupted());
                  });
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      boolean parks = false;
      while (!parks && System.nanoTime() - end < 0) {
        parks = !sleeper.isInterrupted() && sleeper.getState() == Thread.State.TIMED_WAITING;
      }
      word.set(ValueLayout.JAVA_INT, 0, 1);
      sleeper.join();
      assertTrue(parks);
      assertTrue(interrupted.get());
    }
  }
}
