// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class AffinityTest {
  @Test
  void otherSystems() {
    String message =
        assertThrows(UnsupportedOperationException.class, () -> Affinity.load("Mac OS X"))
            .getMessage();
    assertEquals(
        "threads can be pinned to cores on Linux only, not on Mac OS X: set gemmflow.pin to none",
        message);
  }

  @Test
  void cpusThatAreNotThere() {
    BitSet none = new BitSet();
    none.set(8191);
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> Affinity.load().bindCaller(none));
    // EINVAL of asm-generic/errno-base.h
    assertTrue(thrown.toString().contains("(error 22): set gemmflow.pin to none"));
  }
}
