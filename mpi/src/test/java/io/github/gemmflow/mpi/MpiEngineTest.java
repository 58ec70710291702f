// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.EngineException;
import io.github.gemmflow.mpi.binding.Mpi.ThreadLevel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MpiEngineTest {
  /** An MPI that grants less than was asked for is refused, wherever it was initialised. */
  @ParameterizedTest
  @EnumSource
  void theGrantedThreadLevelCounts(ThreadLevel level) {
    if (level == ThreadLevel.SERIALIZED || level == ThreadLevel.MULTIPLE) {
      assertEquals(level, MpiEngine.checkThreads(level));
    } else {
      EngineException e = assertThrows(EngineException.class, () -> MpiEngine.checkThreads(level));
      assertTrue(String.valueOf(e.getMessage()).contains("(" + level + ")"), e::toString);
    }
  }
}
