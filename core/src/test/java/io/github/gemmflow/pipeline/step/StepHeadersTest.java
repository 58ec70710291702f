// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.window.Counters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class StepHeadersTest {
  private static final int RANKS = 3;

  private final MemorySegment memory =
      Arena.ofAuto().allocate(Counters.bytes(RANKS) + StepHeaders.bytes(RANKS), 64);
  private final StepHeaders headers =
      new StepHeaders(memory, Counters.bytes(RANKS), RANKS, new Counters(memory, 0), 0);

  @Test
  void aHeaderIsThereWhenItIsPublished() {
    headers.write(0, 1, 10, 7, 99);
    assertFalse(headers.isThere(1, 0));
    headers.publish(1, 0);
    assertTrue(headers.isThere(1, 0));
    assertFalse(headers.isThere(1, 1));
    assertFalse(headers.isThere(0, 0));
    assertEquals(10, headers.rows(0, 1));
    assertEquals(7, headers.operator(0, 1));
    assertEquals(99, headers.counts(0, 1));
    assertEquals(1, headers.begun(1));
  }

  /** A slow rank still looks at step n when others have begun step n + 3. */
  @Test
  void theLastFourHeadersOfARankAreKept() {
    for (long step = 0; step < 4; step++) {
      headers.write(step, 2, 100 + step, 0, StepHeaders.NOT_KNOWN);
    }
    for (long step = 0; step < 4; step++) {
      assertEquals(100 + step, headers.rows(step, 2));
    }
    headers.write(4, 2, 104, 0, StepHeaders.NOT_KNOWN);
    assertEquals(101, headers.rows(1, 2), "only the oldest is overwritten");
  }

  @Test
  void aHeaderTravelsInAMessageThatSaysWhatFollows() {
    MemorySegment message = MemorySegment.ofArray(new long[8]);
    headers.write(3, 0, 5, 6, 7);
    headers.copyTo(message, 3, 0, 1000);
    assertEquals(1000, StepHeaders.cargo(message));
    headers.write(3, 2, 1, 1, 1);
    headers.copyFrom(message, 3, 1);
    assertEquals(5, headers.rows(3, 1));
    assertEquals(6, headers.operator(3, 1));
    assertEquals(7, headers.counts(3, 1));
    assertEquals(1, headers.rows(3, 2), "headers of different ranks do not overlap");
  }

  @Test
  void ranksOfAHostShareTheWorkOfBringingHeadersIn() {
    Hosts hosts = Hosts.of(0, 0, 1, 1);
    assertEquals(0, StepHeaders.owner(hosts, 0, 2));
    assertEquals(1, StepHeaders.owner(hosts, 0, 3));
  }
}
