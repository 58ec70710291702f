// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
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

  /** Where there is no futex. */
  @Test
  void aSleeperWithoutFutexStaysInterrupted() {
    try (Arena arena = Arena.ofConfined()) {
      Thread.currentThread().interrupt();
      new Sleeping.Parked().await(arena.allocate(4, 4), 0, 1_000_000, arena.allocate(16, 8));
      assertTrue(Thread.interrupted());
    }
  }
}
