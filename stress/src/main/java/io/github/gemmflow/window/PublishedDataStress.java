// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/** Whoever sees a counter sees the data that was written before it was published. */
@JCStressTest
@Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "published, with its data")
@Outcome(expect = FORBIDDEN, desc = "a stale read")
@State
public class PublishedDataStress {
  private static final long DATA = 256;

  private final MemorySegment memory = Memory.next();
  private final Counters counters = new Counters(memory, 0);

  /** The publisher. */
  @Actor
  public void publish() {
    memory.set(ValueLayout.JAVA_INT, DATA, 7);
    counters.publish(0, 1);
  }

  /** A reader. */
  @Actor
  public void read(JI_Result result) {
    result.r1 = counters.get(0);
    result.r2 = result.r1 == 0 ? -1 : memory.get(ValueLayout.JAVA_INT, DATA);
  }
}
