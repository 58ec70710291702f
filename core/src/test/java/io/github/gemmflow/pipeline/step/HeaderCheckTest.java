// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.kit.Plans;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three ranks, two of them on this host, in step 4, in which they have 5, 0 and 2 rows. */
class HeaderCheckTest {
  private static final Hosts HOSTS = Hosts.of(0, 0, 1);
  private static final long STEP = 4;
  private static final long OPERATOR = 7;

  private final HostMemory memory = new HostMemory(HOSTS, 0);
  private final HostPeers peers = memory.rank(0);
  private final HeaderCheck check = new HeaderCheck(peers, memory.headers());
  private final StepContext step = new StepContext(0, 3);
  private final GatherLayout layout = Plans.alongRows(8, 100, HOSTS, Tuning.DEFAULT).step();

  @BeforeEach
  void begin() {
    layout.lay(new long[] {5, 0, 2});
    step.open(STEP, OPERATOR);
  }

  private void lay() {
    step.lay(layout, false);
  }

  private void disagrees(String message, int rank) {
    DisagreementException e =
        assertThrows(DisagreementException.class, () -> check.verify(step, rank));
    assertTrue(e.toString().contains(message), e::toString);
    assertFalse(step.isVerified(rank));
  }

  @Test
  void aHeaderThatIsNotThereIsNoDisagreement() {
    lay();
    assertFalse(check.verify(step, 2));
    memory.begin(2, STEP - 1, 99, 99, 99);
    assertFalse(check.verify(step, 2));
    assertEquals(0, check.headersThere(step));
  }

  @Test
  void aHeaderThatAgreesIsRemembered() {
    lay();
    memory.begin(2, STEP, OPERATOR, 2, layout.countsHash());
    assertTrue(check.verify(step, 2));
    assertTrue(step.isVerified(2));
    assertEquals(1, check.headersThere(step));
    assertEquals(2, check.rows(step, 2));
    // The next step in this buffer begins anew.
    step.open(STEP + 2, OPERATOR);
    assertFalse(step.isVerified(2));
  }

  @Test
  void anotherOperatorIsNamed() {
    lay();
    memory.begin(2, STEP, 8, 2, layout.countsHash());
    disagrees("step 4: operator: rank 2 has 8, rank 0 has 7", 2);
  }

  @Test
  void otherRowsAreNamed() {
    lay();
    memory.begin(2, STEP, OPERATOR, 3, StepHeaders.NOT_KNOWN);
    disagrees("step 4: rows of rank 2: rank 2 has 3, rank 0 has 2", 2);
  }

  /** Its own rows are as expected, but it was told others of the rest. */
  @Test
  void otherCountsAreFound() {
    lay();
    memory.begin(1, STEP, OPERATOR, 0, layout.countsHash() + 1);
    disagrees("step 4: rank 1 and rank 0 were given different row counts", 1);
  }

  @Test
  void aRankMayKnowOnlyItsOwnRows() {
    lay();
    memory.begin(1, STEP, OPERATOR, 0, StepHeaders.NOT_KNOWN);
    assertTrue(check.verify(step, 1));
  }

  /** The operator is compared at once, rows when they are known here. */
  @Test
  void rowsAreComparedWhenTheyAreKnown() {
    memory.begin(2, STEP, OPERATOR, 3, StepHeaders.NOT_KNOWN);
    assertTrue(check.verify(step, 2));
    assertFalse(step.isVerified(2));
    lay();
    disagrees("rows of rank 2", 2);
    step.open(STEP, 8);
    disagrees("operator", 2);
  }

  @Test
  void allHeadersThatAreThereAreLookedAt() {
    lay();
    memory.begin(0, STEP, OPERATOR, 5, layout.countsHash());
    check.verifyAll(step);
    memory.begin(2, STEP, 8, 2, layout.countsHash());
    assertThrows(DisagreementException.class, () -> check.verifyAll(step));
    StepContext other = new StepContext(1, 3);
    other.open(STEP + 1, OPERATOR);
    assertThrows(
        DisagreementException.class, () -> check.verifyLaid(new StepContext[] {other, step}));
  }

  @Test
  void aDisagreementExplainsABrokenGroup() {
    lay();
    check.checkWhole(step);
    peers.breakUp("rank 1 has had enough");
    BrokenException broken = assertThrows(BrokenException.class, () -> check.checkWhole(step));
    assertTrue(broken.toString().contains("rank 1 has had enough"), broken::toString);
    check.verifyLaid(new StepContext[] {step});
    memory.begin(1, STEP, 8, 0, layout.countsHash());
    assertThrows(DisagreementException.class, () -> check.checkWhole(step));
    // In a group that is broken, who only waits does not look for more.
    check.verifyLaid(new StepContext[] {step});
  }

  @Test
  void whoIsMissing() {
    lay();
    memory.begin(0, STEP, OPERATOR, 5, layout.countsHash());
    assertFalse(check.isMissingOnlyHere(step, 1), "rank 2 is missing, too");
    memory.begin(2, STEP, OPERATOR, 2, layout.countsHash());
    assertTrue(check.isMissingOnlyHere(step, 1));
    assertFalse(check.isMissingOnlyHere(step, 0));
    long before = check.begunOnThisHost();
    memory.begin(2, STEP + 1, OPERATOR, 2, layout.countsHash());
    assertEquals(before, check.begunOnThisHost(), "rank 2 is on another host");
    memory.begin(1, STEP, OPERATOR, 0, layout.countsHash());
    assertTrue(check.begunOnThisHost() > before);
    assertFalse(check.isMissingOnlyHere(step, 1));
  }
}
