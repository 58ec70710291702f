// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What differs from process to process, and what does not. */
@Tag("full")
class ProcessesTest {
  /** oneDNN generates its code anew in every process. */
  @Test
  void everyProcessComputesTheSameBits() throws Exception {
    Set<List<String>> checksums = new HashSet<>();
    for (int i = 0; i < 8; i++) {
      List<String> said = Child.run(Map.of(), DType.REALS.toArray(DType[]::new));
      List<String> found = said.stream().filter(line -> line.startsWith("checksum")).toList();
      assertEquals(DType.REALS.size(), found.size(), said.toString());
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

  /** Never in silence on a slow path. */
  @ParameterizedTest
  @CsvSource({
    "AVX512_CORE, BF16, AVX-512 without VNNI",
    "AVX512_CORE, F16, AVX-512 without VNNI",
    "AVX2, BF16, AVX2",
    "AVX2, F16, AVX2",
  })
  void whatThereAreNoInstructionsForSaysWhatItCosts(String mask, DType type, String best)
      throws Exception {
    List<String> said = Child.run(Map.of("ONEDNN_MAX_CPU_ISA", mask), type);
    String warning =
        "this machine has no instructions for %s (the best are %s): weights are kept in F32"
            .formatted(type, best);
    assertEquals(1, said.stream().filter(line -> line.contains(warning)).count(), said.toString());
    assertTrue(said.stream().anyMatch(line -> line.startsWith("checksum")), said.toString());
  }

  /**
   * The largest sums that there are: without VNNI, int8 instructions would saturate, and be off by
   * a sixth.
   */
  @ParameterizedTest
  @CsvSource({"AVX2, true", "AVX512_CORE, true", "DEFAULT, false"})
  void sumsInInt8AreRightOnEveryInstructionSet(String mask, boolean converted) throws Exception {
    List<String> said =
        Child.java(
            Map.of("ONEDNN_MAX_CPU_ISA", mask),
            List.of("--enable-native-access=ALL-UNNAMED", Int8Child.class.getName()));
    boolean warned = said.stream().anyMatch(line -> line.contains("no instructions for int8"));
    // What a processor has without a limit is its own business.
    assertTrue(warned || !converted, said.toString());
    String sums = said.stream().filter(line -> line.startsWith("sums ")).findFirst().orElse("");
    double expected = 127.0 * 127 * Int8Child.K;
    String[] numbers = sums.split(" ", -1);
    assertEquals(3, numbers.length, said.toString());
    // Converted, they are sums of F32.
    double allowed = warned ? expected * 1e-5 : 0;
    assertEquals(expected, Double.parseDouble(numbers[1]), allowed);
    assertEquals(-expected, Double.parseDouble(numbers[2]), allowed);
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
