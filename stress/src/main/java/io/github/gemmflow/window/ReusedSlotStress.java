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
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader that passes a slot after it read never sees what the slot is filled with afterwards. */
@JCStressTest
@Outcome(id = "7, 0", expect = ACCEPTABLE, desc = "not passed yet: the slot is left alone")
@Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "passed: the slot is filled again")
@Outcome(expect = FORBIDDEN, desc = "a slot was filled while it was read")
@State
public class ReusedSlotStress {
  private static final long DATA = 256;

  private final MemorySegment memory = Memory.next();
  private final Counters passed = new Counters(memory, 0);

  /** A slot that holds 7. */
  public ReusedSlotStress() {
    memory.set(ValueLayout.JAVA_INT, DATA, 7);
  }

  /** The reader. */
  @Actor
  public void read(II_Result result) {
    result.r1 = memory.get(ValueLayout.JAVA_INT, DATA);
    passed.publish(0, 1);
  }

  /** Who fills the slot again. */
  @Actor
  public void fill(II_Result result) {
    if (passed.get(0) == 1) {
      memory.set(ValueLayout.JAVA_INT, DATA, 8);
      result.r2 = 1;
    }
  }
}
