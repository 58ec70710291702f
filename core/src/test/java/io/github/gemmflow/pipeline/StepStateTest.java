// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StepStateTest {
  private final StepState state = new StepState();

  private void open() {
    assertTrue(state.tryBegin());
    state.setBegun(true);
  }

  @Test
  void aStepBeginsRunsAndEnds() {
    open();
    assertFalse(state.tryBegin(), "one is open");
    state.run();
    assertThrows(IllegalStateException.class, state::checkNotRunning);
    assertThrows(IllegalStateException.class, state::run);
    state.setDone();
    assertThrows(IllegalStateException.class, state::run, "it has run");
    assertTrue(state.tryEnd());
    assertFalse(state.tryEnd());
    assertTrue(state.isOpen(), "it is about to end");
    state.setEnded();
    assertFalse(state.isOpen());
    open();
  }

  @Test
  void aStepThatCouldNotBeginLeavesNothing() {
    assertTrue(state.tryBegin());
    state.setBegun(false);
    assertFalse(state.isOpen());
    assertThrows(IllegalStateException.class, state::run);
  }

  @Test
  void aStepThatWasGivenUpNeverRuns() {
    assertFalse(state.giveUp());
    open();
    assertTrue(state.giveUp());
    assertThrows(IllegalStateException.class, state::run);
    assertTrue(state.isDone());
    assertTrue(state.tryEnd());
  }

  @Test
  void noStepBeginsAfterTheEnd() {
    open();
    assertFalse(state.shut(), "one is open");
    state.run();
    state.setDone();
    assertTrue(state.tryEnd());
    state.setEnded();
    assertTrue(state.shut());
    assertFalse(state.tryBegin());
    assertTrue(state.isShut());
    state.close();
    assertTrue(state.isShut());
    assertFalse(state.isOpen());
  }
}
