// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.window.Counters;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
  private final Heartbeats heartbeats =
      new Heartbeats(new Counters(Arena.ofAuto().allocate(Counters.bytes(3)), 0), 1, 2);

  @Test
  void aLaneWorksFromEnterToLeave() {
    assertFalse(heartbeats.isWorking(0));
    heartbeats.enter(0);
    assertTrue(heartbeats.isWorking(0));
    assertFalse(heartbeats.isWorking(1));
    heartbeats.beat(0);
    assertTrue(heartbeats.isWorking(0), "another thread has done something");
    heartbeats.leave(0);
    assertFalse(heartbeats.isWorking(0));
  }

  @Test
  void everySignOfLifeIsNews() {
    long before = heartbeats.of(1);
    heartbeats.enter(1);
    long working = heartbeats.of(1);
    heartbeats.beat(1);
    long more = heartbeats.of(1);
    heartbeats.leave(1);
    assertTrue(before < working && working < more && more < heartbeats.of(1));
    assertEquals(0, heartbeats.of(0));
  }
}
