// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PollBackoffTest {
  private static final long SHORTEST = 20_000;
  private static final long LONGEST = 2_000_000;
  private static final long MUCH = 1L << 40;
  private static final long CHUNK = 56 << 10;

  private long now = 1_000_000_000;
  private final PollBackoff backoff = new PollBackoff(() -> now);

  /** Chunks come in one after the other. */
  private void receive(int chunks, long nanosEach) {
    for (int i = 0; i < chunks; i++) {
      now += nanosEach;
      backoff.completed(CHUNK);
      long _ = backoff.next(MUCH);
    }
  }

  private void assertNap(long nanos, long toCome) {
    long nap = backoff.next(toCome);
    assertTrue(Math.abs(nap - nanos) <= nanos / 1000, () -> "%d ns, not %d".formatted(nap, nanos));
  }

  @Test
  void itSleepsShortlyAtFirst() {
    assertEquals(SHORTEST, backoff.next(MUCH));
  }

  /** At 1 Gbit/s 128 KiB take a millisecond, at 10 Gbit/s a tenth of one. */
  @Test
  void asMuchComesInANapAsASocketHolds() {
    receive(100, CHUNK * 8);
    assertNap(8 << 17, MUCH);
    receive(100, CHUNK * 8 / 10);
    assertNap((8 << 17) / 10, MUCH);
  }

  @Test
  void itSleepsForHalfOfWhatIsToComeAtMost() {
    receive(100, CHUNK * 8);
    assertNap(CHUNK / 2 * 8, CHUNK);
    assertEquals(SHORTEST, backoff.next(0));
  }

  /** A sender that pauses is no slower link; one that is slow for long is. */
  @Test
  void pausesAreForgotten() {
    receive(100, CHUNK);
    receive(10, CHUNK * 50);
    assertTrue(backoff.next(MUCH) <= (1 << 17) * 11 / 10);
    receive(2000, CHUNK * 8);
    assertNap(8 << 17, MUCH);
  }

  /** What passes between two steps belongs to neither. */
  @Test
  void timeWithoutAnythingToComeDoesNotCount() {
    receive(20, CHUNK);
    for (int step = 0; step < 20; step++) {
      long _ = backoff.next(0);
      now += 1_000_000_000;
      receive(20, CHUNK);
    }
    assertNap(1 << 17, MUCH);
  }

  /** A chunk of 4 MiB is under way for long, and the network must be emptied meanwhile. */
  @Test
  void nothingIsLateBeforeItCouldBeThere() {
    receive(100, CHUNK);
    long mib = 1 << 20;
    now += 4 * mib;
    assertNap(1 << 17, 4 * mib);
    now += mib;
    assertTrue(backoff.next(4 * mib) == 1 << 17);
    now += 16 * mib;
    assertTrue(backoff.next(4 * mib) > 1 << 19);
  }

  @Test
  void aPauseBeforeAStepDoesNotCount() {
    backoff.completed(0);
    now += 1_000_000_000;
    assertEquals(LONGEST, backoff.next(MUCH));
    backoff.begin();
    assertEquals(SHORTEST, backoff.next(MUCH));
  }

  @Test
  void itNeverSleepsForLong() {
    receive(100, 500_000_000);
    assertEquals(LONGEST, backoff.next(MUCH));
    now += 3_600_000_000_000L;
    assertEquals(LONGEST, backoff.next(0));
  }

  @Test
  void itSleepsLongerTheLongerNothingHappens() {
    backoff.completed(0);
    now += 1_600_000;
    long soon = backoff.next(0);
    now += 8_000_000;
    assertTrue(backoff.next(0) > soon);
  }
}
