// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

class FailureTest {
  /**
   * Where an exception says more than its cause, such as how to fix it, that is what is printed.
   */
  @Test
  void wordsThatWereAddedAreKept() {
    IOException cause = new IOException("no space");
    UncheckedIOException thrown =
        new UncheckedIOException("cannot make 8 bytes in /dev/shm: mount a larger one", cause);
    Failure failure = Failure.of(thrown);
    assertEquals(thrown.getMessage(), failure.message());
    assertEquals(ExitCode.INPUT.number(), failure.number());
  }

  @Test
  void exceptionsThatOnlyWrapAreUnwrapped() {
    IOException cause = new IOException("no space");
    for (Throwable wrapper :
        new Throwable[] {new UncheckedIOException(cause), new IllegalStateException(cause)}) {
      Failure failure = Failure.of(wrapper);
      assertEquals("no space", failure.message());
      assertEquals(ExitCode.INPUT.number(), failure.number());
    }
  }
}
