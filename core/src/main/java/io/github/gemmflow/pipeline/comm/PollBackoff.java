// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.util.function.LongSupplier;

/**
 * Sleep of the communication thread between two polls of an engine that cannot wake it: as long as
 * the operating system takes in what comes meanwhile, so that the network never stands still for
 * it, and at most half of what is still to come. Not thread-safe.
 */
final class PollBackoff {
  static final long SHORTEST = 20_000;

  private static final long LONGEST = 2_000_000;

  /** Bytes that a socket holds from the start, for a process that does not look: tcp(7). */
  private static final long HELD_BYTES = 128 << 10;

  /** Bytes whose time says what the link does: several naps long, so that it is not a burst. */
  private static final long SAMPLE_BYTES = 4 * HELD_BYTES;

  /** How much slower a link may become from one sample to the next, as far as this believes it. */
  private static final double FORGETS = 1.1;

  private static final int PATIENCE = 16;

  private final LongSupplier clock;
  private double nanosPerByte;
  private boolean flows;
  private long since;
  private long came;
  private long last;

  /** Reads the time, in nanoseconds, from a clock. */
  PollBackoff(LongSupplier clock) {
    this.clock = clock;
    this.last = clock.getAsLong();
  }

  /** Somebody waits from now on; what was before says nothing of when something comes. */
  void begin() {
    last = clock.getAsLong();
  }

  /**
   * Some transfers were completed.
   *
   * @param bytes how many came in with them
   */
  void completed(long bytes) {
    last = clock.getAsLong();
    if (bytes == 0) {
      return;
    }
    if (!flows) {
      // When the first ones come says more about their sender than about the link.
      flows = true;
      since = last;
      came = 0;
      return;
    }
    came += bytes;
    if (came >= SAMPLE_BYTES) {
      learn((double) (last - since) / came);
      since = last;
      came = 0;
    }
  }

  /** Senders pause, too: only what goes faster than before is certainly what the link does. */
  private void learn(double sample) {
    nanosPerByte = nanosPerByte == 0 ? sample : Math.min(sample, FORGETS * nanosPerByte);
  }

  /**
   * How long to sleep now, in nanoseconds; longer the longer nothing happens although all that is
   * to come could be there.
   *
   * @param toCome bytes that this rank expects
   */
  long next(long toCome) {
    flows &= toCome > 0;
    long nap = (long) (Math.min(HELD_BYTES, toCome / 2) * nanosPerByte);
    long late = clock.getAsLong() - last - (long) (toCome * nanosPerByte);
    return Math.clamp(Math.max(nap, late / PATIENCE), SHORTEST, LONGEST);
  }
}
