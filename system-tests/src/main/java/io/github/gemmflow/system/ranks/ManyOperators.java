// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Rank that has many operators, whose number is the argument, alive at once, and runs each of them.
 */
public final class ManyOperators {
  private static final int K = 16;
  private static final int N = 8;

  private ManyOperators() {}

  public static void main(String[] arguments) {
    int count = Integer.parseInt(arguments[0]);
    try (World world = World.join()) {
      Report.run(count + " operators at once", () -> run(world, count));
    }
  }

  private static void run(World world, int count) {
    Group group = world.group();
    List<AllGatherMatmul> operators = new ArrayList<>();
    long rows = 3L * group.size();
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(group).rows(rows).columns(K).open()) {
      for (int i = 0; i < count; i++) {
        Matrix b = Exact.matrix(DType.F32, K, N, i, arena);
        try (PackedWeights weights = world.pack(b, WeightLayout.IN_OUT)) {
          operators.add(AllGatherMatmul.on(space).output(weights).build());
        }
      }
      Matrix a = Matrix.allocate(DType.F32, 3, K, arena);
      Matrix c = Matrix.allocate(DType.F32, rows, N, arena);
      for (int i = 0; i < count; i++) {
        Exact.fill(a, i + 1, 3L * group.rank());
        operators.get(i).run(a, c);
        Exact.checkProduct(c, i + 1, i, K);
      }
      operators.forEach(AllGatherMatmul::close);
    }
  }
}
