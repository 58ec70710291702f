// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.comm;

import java.util.concurrent.atomic.AtomicLong;

/** Turn to call an engine, which one thread has at a time. Thread-safe. */
final class EngineTurn {
  private static final long FREE = 0;

  /** Since when a thread has it: a time that is never {@link #FREE}. */
  private final AtomicLong since = new AtomicLong(FREE);

  private static long now() {
    return System.nanoTime() | 1;
  }

  /** Takes the turn, unless another thread has it; returns whether this one has it now. */
  boolean tryTake() {
    return since.get() == FREE && since.compareAndSet(FREE, now());
  }

  void giveBack() {
    since.set(FREE);
  }

  /** For how long a thread has had it, in nanoseconds; 0 if none has. */
  long heldFor() {
    long start = since.get();
    return start == FREE ? 0 : now() - start;
  }
}
