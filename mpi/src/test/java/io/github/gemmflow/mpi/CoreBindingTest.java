// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoreBindingTest {
  @Test
  void oneCoreOfSeveralIsWorthAWord() {
    assertEquals(
        Optional.of(
            "this process is bound to core 3, one of 6, so communication and multiplication take turns; give the launcher the option --bind-to none"),
        new CoreBinding("\t3\n", "0-3,8-9", "0-3,8-9\n").warning("--bind-to none"));
  }

  /** A lab host, or a container with one core: the launcher has no more either. */
  @Test
  void whatTheLauncherHasNotItCannotGive() {
    assertEquals(
        Optional.of(
            "this process is bound to core 3, one of 6, so communication and multiplication take turns"),
        new CoreBinding("3", "3", "0-3,8-9").warning("--bind-to none"));
  }

  @Test
  void severalCoresOrTheOnlyOneAreNot() {
    assertEquals(Optional.empty(), new CoreBinding("2-3", "0-3", "0-3").warning("--bind-to none"));
    assertEquals(Optional.empty(), new CoreBinding("1,3", "0-3", "0-3").warning("--bind-to none"));
    assertEquals(Optional.empty(), new CoreBinding("0", "0", "0").warning("--bind-to none"));
  }
}
