// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A thread that really sleeps is really woken: long before it would look again by itself. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "awake in time")
@Outcome(id = "false", expect = FORBIDDEN, desc = "a lost wake-up")
@State
public class WaiterStress {
  private static final long NANOS = 10_000_000_000L;

  private final MemorySegment memory = Memory.next();
  private final Counters counters = new Counters(memory, 256);
  private final Bell bell = new Bell(memory, 0);

  /** Who publishes and wakes sleepers. */
  @Actor
  public void publish() {
    counters.publish(0, 1);
    bell.ring();
  }

  /** Who sleeps at once, without spinning. */
  @Actor
  public void await(Z_Result result) {
    long start = System.nanoTime();
    boolean seen = new Waiter(bell, 0).await(() -> counters.get(0) == 1, NANOS);
    result.r1 = seen && System.nanoTime() - start < NANOS / 2;
  }
}
