// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class AmxPermissionTest {
  /** Linux grants what it lists among the CPU's flags, and nothing else. */
  @Test
  void itIsGrantedWhereItIsListed() throws IOException {
    boolean listed = Files.readString(Path.of("/proc/cpuinfo")).contains(" amx_tile");
    assertEquals(listed, AmxPermission.request() == 0);
  }
}
