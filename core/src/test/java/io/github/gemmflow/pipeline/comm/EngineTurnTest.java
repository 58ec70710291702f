// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EngineTurnTest {
  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong clock = new AtomicLong(12_345);
  private final EngineTurn turn = new EngineTurn(clock::get);

  /** Looks at the turn again and again; returns for how long it seems to be held at the end. */
  private long look(int times, long nanos) {
    long held = turn.heldFor();
    for (int i = 0; i < times; i++) {
      clock.addAndGet(nanos);
      held = turn.heldFor();
    }
    return held;
  }

  @Test
  void oneThreadHasItAtATime() {
    assertTrue(turn.tryTake());
    assertFalse(turn.tryTake());
    turn.giveBack();
    assertTrue(turn.tryTake());
  }

  @Test
  void aHolderThatDoesNotReturnIsSeenToHoldIt() {
    assertTrue(turn.tryTake());
    assertEquals(60 * SECOND, look(6_000, 10 * MILLISECOND));
  }

  /** A communication thread that an engine wakes looks that rarely. */
  @Test
  void allTimeBetweenLooksCounts() {
    assertTrue(turn.tryTake());
    assertEquals(60 * SECOND, look(6, 10 * SECOND));
  }

  /** The thread that holds it was stopped, too, and goes on with this process. */
  @Test
  void aPauseOfTheWholeProcessIsNotTheHoldersFault() {
    assertTrue(turn.tryTake());
    assertEquals(SECOND, look(100, 10 * MILLISECOND));
    clock.addAndGet(3_600 * SECOND);
    assertEquals(11 * SECOND, turn.heldFor());
    clock.addAndGet(3_600 * SECOND);
    assertEquals(21 * SECOND, turn.heldFor());
  }

  /** Nobody has looked before the pause. */
  @Test
  void aPauseBeforeTheFirstLookDoesNotCount() {
    assertTrue(turn.tryTake());
    clock.addAndGet(3_600 * SECOND);
    assertEquals(0, turn.heldFor());
  }

  @Test
  void everyHolderHasItsOwnTime() {
    assertTrue(turn.tryTake());
    assertEquals(50 * SECOND, look(50, SECOND));
    turn.giveBack();
    assertEquals(0, turn.heldFor());
    clock.addAndGet(MILLISECOND);
    assertTrue(turn.tryTake());
    assertEquals(10 * SECOND, look(10, SECOND));
  }
}
