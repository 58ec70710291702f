// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/** Multiplies the largest values that there are in int8, and prints the sums. */
final class Int8Child {
  static final int K = 8192;

  private Int8Child() {}

  public static void main(String[] arguments) {
    try (Arena arena = Arena.ofShared();
        World world = World.single(Config.builder().kernel(new OneDnnKernel()).build());
        Workspace space = Workspace.on(world.group()).rows(3).columns(K).type(DType.I8).open();
        PackedWeights weights =
            world.pack(
                Matrix.allocate(DType.F32, K, 70, arena).fill(127), WeightLayout.IN_OUT, DType.I8);
        AllGatherMatmul operator = AllGatherMatmul.on(space).output(weights).build()) {
      Matrix a = Matrix.allocate(DType.F32, 3, K, arena).fill(-127);
      a.rows(0, 1).fill(127);
      Matrix c = Matrix.allocate(DType.F32, 3, 70, arena);
      operator.run(a, c);
      System.out.printf("sums %.0f %.0f%n", c.get(0, 69), c.get(2, 0));
    }
  }
}
