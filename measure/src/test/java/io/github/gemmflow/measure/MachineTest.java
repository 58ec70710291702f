// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void fieldsOfFiles() {
    List<String> cpu =
        List.of("processor\t: 0", "", "model name\t: Xeon: the 2nd", "model name\t:");
    assertEquals("Xeon: the 2nd", Machine.field(cpu, "model name", ':', "?"));
    assertEquals("?", Machine.field(cpu, "model", ':', "?"));
    assertEquals(
        25_165_824, Machine.memoryBytes(List.of("MemTotal:       24576 kB", "MemFree: 1")));
    assertEquals(0, Machine.memoryBytes(List.of()));
    String os = Machine.os(List.of("NAME=x", "PRETTY_NAME=\"Debian 12\""));
    assertTrue(os.startsWith("Debian 12, " + System.getProperty("os.name")), os);
  }

  @Test
  void thisMachine() {
    Map<String, Object> machine = Machine.describe();
    assertEquals(Runtime.getRuntime().availableProcessors(), machine.get("cores"));
    String java = String.valueOf(machine.get("java"));
    assertTrue(java.endsWith(Runtime.version().toString()), java);
  }
}
