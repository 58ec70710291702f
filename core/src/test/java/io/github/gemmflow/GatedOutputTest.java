// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Shards;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A gated output has the bits of its two products, each computed alone, multiplied. */
class GatedOutputTest {
  private static final int K = 24;

  @ParameterizedTest
  @CsvSource({
    "1, 1, F32, F32, NONE",
    "37, 5, F32, F32, RELU",
    "300, 200, F32, F32, SILU",
    "70, 130, BF16, BF16, SILU",
    "70, 64, BF16, F32, GELU",
    "5, 65, F16, F16, SILU",
    "0, 65, F32, F32, SILU",
    "9, 0, F32, F32, SILU"
  })
  void itIsTheProductOfTwoProducts(
      int rows, int columns, DType type, DType output, Activation activation) {
    for (int threads = 1; threads <= 3; threads++) {
      LocalWorld.onHosts(0, 1, 0)
          .config(Config.builder().threads(threads).build())
          .run(world -> check(world, rows, columns, type, output, activation));
    }
  }

  private static void check(
      World world, int rows, int columns, DType type, DType output, Activation activation) {
    long[] counts = Shards.of(rows, world.size()).sizes();
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(world.group()).rows(rows).columns(K).type(type).open();
        PackedWeights gate = pack(world, type, columns, 1, arena);
        PackedWeights up = pack(world, type, columns, 2, arena);
        AllGatherMatmul gated =
            AllGatherMatmul.on(space)
                .output(up)
                .gatedOutput(gate, up, activation)
                .outputType(output)
                .build();
        AllGatherMatmul both =
            AllGatherMatmul.on(space).output(gate, Epilogue.of(activation)).output(up).build()) {
      Matrix first = Matrix.allocate(output, rows, columns, arena);
      Matrix product = Matrix.allocate(output, rows, columns, arena).fill(Float.NaN);
      Matrix gates = Matrix.allocate(DType.F32, rows, columns, arena);
      Matrix ups = Matrix.allocate(DType.F32, rows, columns, arena);
      Matrix a = Matrix.allocate(type, counts[world.rank()], K, arena);
      Exact.fill(a, 3, world.rank() * 1000L);
      gated.run(a, first, product);
      both.run(RowCounts.known(counts), a, gates, ups);
      Matrix expected = Matrix.allocate(output, 1, 1, arena);
      for (long row = 0; row < rows; row++) {
        for (long column = 0; column < columns; column++) {
          expected.set(0, 0, gates.get(row, column) * ups.get(row, column));
          assertEquals(expected.get(0, 0), product.get(row, column), row + ", " + column);
        }
      }
    }
  }

  private static PackedWeights pack(World world, DType type, int columns, int seed, Arena arena) {
    return world.pack(
        Exact.matrix(DType.F32, K, columns, seed + world.rank(), arena), WeightLayout.IN_OUT, type);
  }

  @Test
  void weightsOfUnequalWidthsAreRefused() {
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(4).columns(K).open();
        PackedWeights gate = pack(world, DType.F32, 4, 1, arena);
        PackedWeights up = pack(world, DType.F32, 5, 1, arena)) {
      AllGatherMatmul.Builder builder =
          AllGatherMatmul.on(space).gatedOutput(gate, up, Activation.SILU);
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, builder::build);
      assertTrue(e.toString().contains("the same number of outputs"), e::toString);
    }
  }
}
