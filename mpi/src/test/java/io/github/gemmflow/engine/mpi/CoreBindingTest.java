// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoreBindingTest {
  @Test
  void oneCoreOfSeveralIsWorthAWord() {
    assertEquals(
        Optional.of(
            "this process is bound to core 3, one of 6, so that communication and multiplication take turns; give the launcher the option --bind-to none"),
        CoreBinding.warning("\t3\n", "0-3,8-9\n", "--bind-to none"));
  }

  @Test
  void severalCoresOrTheOnlyOneAreNot() {
    assertEquals(Optional.empty(), CoreBinding.warning("2-3", "0-3", "--bind-to none"));
    assertEquals(Optional.empty(), CoreBinding.warning("1,3", "0-3", "--bind-to none"));
    assertEquals(Optional.empty(), CoreBinding.warning("0", "0", "--bind-to none"));
  }
}
