// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JZ_Result;

/**
 * Either who goes to sleep sees what was published, or the publisher sees the sleeper and rings, so
 * that the sleep ends at once.
 */
@JCStressTest
@Outcome(id = "1, false", expect = ACCEPTABLE, desc = "seen before sleeping")
@Outcome(id = "1, true", expect = ACCEPTABLE, desc = "seen, and rung for nothing")
@Outcome(id = "0, true", expect = ACCEPTABLE, desc = "not seen, but rung")
@Outcome(id = "0, false", expect = FORBIDDEN, desc = "a lost wake-up")
@State
public class BellStress {
  private final MemorySegment memory = Memory.next();
  private final Counters counters = new Counters(memory, 256);
  private final Bell bell = new Bell(memory, 0);
  private int ticket;

  /** Who publishes and wakes sleepers. */
  @Actor
  public void publish() {
    counters.publish(0, 1);
    bell.ring();
  }

  /** Who would sleep now, if it does not see the counter. */
  @Actor
  public void goToSleep(JZ_Result result) {
    ticket = bell.enter();
    result.r1 = counters.get(0);
  }

  /** A sleep on this ticket ends at once if the bell has been rung since. */
  @Arbiter
  public void look(JZ_Result result) {
    result.r2 = memory.get(ValueLayout.JAVA_INT, 0) != ticket;
  }
}
