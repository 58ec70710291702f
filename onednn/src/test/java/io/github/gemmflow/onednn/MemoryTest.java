// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operators take, beside the weights that they share. */
@Tag("full")
class MemoryTest {
  private static final int SIZE = 4096;
  private static final int OPERATORS = 8;

  /** In a process whose heap neither grows nor shrinks. */
  @Test
  void operatorsOverOneWeightAddLittle() throws IOException, InterruptedException {
    List<String> said =
        Child.java(
            Map.of(),
            List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Xms256m",
                "-Xmx256m",
                "-XX:+AlwaysPreTouch",
                MemoryTest.class.getName()));
    String last = said.get(said.size() - 1);
    System.out.println("MemoryTest: MB: " + said);
    assertTrue(Double.parseDouble(last) < 5, said.toString());
  }

  /** Eight shapes: the rows that they have room for differ. */
  public static void main(String[] arguments) throws IOException {
    try (World world = World.single(Config.builder().kernelName("onednn").build());
        Arena arena = Arena.ofShared()) {
      Matrix b = Matrix.allocate(DType.BF16, SIZE, SIZE, arena);
      try (PackedWeights weights = world.pack(b, WeightLayout.OUT_IN)) {
        List<AutoCloseable> open = new ArrayList<>();
        // The code that oneDNN generates is shared by all that have the same inputs and outputs.
        long before = residentBytes();
        open.add(operator(world, weights, 4096, open));
        System.out.println("code and the first: " + (residentBytes() - before) / 1e6);
        before = residentBytes();
        for (int i = 0; i < OPERATORS; i++) {
          open.add(operator(world, weights, 1L << i, open));
        }
        System.out.println((residentBytes() - before) / 1e6 / OPERATORS);
      }
    }
  }

  private static AllGatherMatmul operator(
      World world, PackedWeights weights, long rows, List<AutoCloseable> open) {
    Workspace space = Workspace.on(world.group()).rows(rows).columns(SIZE).type(DType.BF16).open();
    open.add(space);
    return AllGatherMatmul.on(space).output(weights).build();
  }

  private static long residentBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .sum()
        * 1024;
  }
}
