// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel.onednn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kit.Multiplied;
import io.github.gemmflow.matrix.DType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What differs from process to process, and what does not. */
class ProcessesTest {
  /** oneDNN generates its code anew in every process. */
  @Test
  void everyProcessComputesTheSameBits() throws Exception {
    Set<List<String>> checksums = new HashSet<>();
    DType[] types = Multiplied.by(new OneDnnKernel()).toArray(DType[]::new);
    for (int i = 0; i < 20; i++) {
      List<String> said = Child.run(Map.of(), types);
      List<String> found = said.stream().filter(line -> line.startsWith("checksum")).toList();
      assertEquals(types.length, found.size(), said.toString());
      checksums.add(found);
    }
    assertEquals(1, checksums.size(), checksums.toString());
  }

  @Test
  void theInstructionSetIsLoggedOnce() throws Exception {
    List<String> said = Child.run(Map.of("ONEDNN_MAX_CPU_ISA", "AVX2"), DType.F32);
    List<String> about = said.stream().filter(line -> line.contains("oneDNN 3.")).toList();
    assertEquals(1, about.size(), said.toString());
    assertTrue(about.get(0).endsWith("uses AVX2"), about.get(0));
  }

  @Test
  void bf16WithoutInstructionsForItSaysWhatItCosts() throws Exception {
    List<String> said = Child.run(Map.of("ONEDNN_MAX_CPU_ISA", "AVX512_CORE"), DType.BF16);
    assertTrue(
        said.stream()
            .anyMatch(
                line ->
                    line.contains(
                        "this machine has no instructions for BF16 (the best are AVX-512): oneDNN")),
        said.toString());
    assertTrue(said.stream().anyMatch(line -> line.startsWith("checksum")), said.toString());
  }

  /** Never in silence on a slow path. */
  @Test
  void aTypeThatOneDnnCannotMultiplyFastIsRefused() throws Exception {
    List<String> said = Child.run(Map.of("ONEDNN_MAX_CPU_ISA", "AVX2"), DType.BF16);
    assertTrue(
        said.stream()
            .anyMatch(
                line ->
                    line.contains("has no fast product of BF16 on this machine (AVX2)")
                        && line.contains("-Dgemmflow.kernel=reference")),
        said.toString());
  }

  @Test
  void withoutNativeAccessItSaysWhichOptionToPass() throws Exception {
    List<String> said =
        Child.java(Map.of(), List.of("--illegal-native-access=deny", Child.class.getName(), "F32"));
    assertTrue(
        said.stream().anyMatch(line -> line.contains("--enable-native-access=ALL-UNNAMED")),
        said.toString());
  }
}
