// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.AllReduce;
import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/**
 * Rank of a large group: joins, gathers and sums small integers, which has to be exact, and says
 * how long that took and what it holds. Its argument is when the job was launched, in milliseconds.
 */
public final class ManyRanks {
  private static final int ROWS = 16;
  private static final int INNER = 64;
  private static final int COLUMNS = 32;
  private static final int STEPS = 20;
  private static final int WARM_UP = 5;
  private static final long INPUT = 1;
  private static final long WEIGHTS = 1000;

  private ManyRanks() {}

  public static void main(String[] arguments) {
    long launched = Long.parseLong(arguments[0]);
    Config config = Config.builder().engineName(CountedMpi.NAME).build();
    try (World world = World.join(config)) {
      Figures figures = new Figures();
      figures.add("start-up: joined, ms", System.currentTimeMillis() - launched);
      if (Report.run("one gather and two sums are exact", () -> run(world, figures, launched))) {
        figures.report(world.group());
      }
    }
  }

  private static void run(World world, Figures figures, long launched) {
    Group group = world.group();
    int ranks = group.size();
    long allRows = (long) ROWS * ranks;
    long weights = WEIGHTS + world.rank();
    RowCounts counts = RowCounts.equal(ranks, ROWS);
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(group).rows(allRows).columns(INNER).type(DType.F32).open();
        PackedWeights packed =
            world.pack(
                Exact.matrix(DType.F32, INNER, COLUMNS, weights, arena), WeightLayout.IN_OUT);
        AllGatherMatmul gather = AllGatherMatmul.on(space).output(packed).build();
        MatmulReduceScatter scatter = MatmulReduceScatter.on(space).weights(packed).build();
        AllReduce reduce = AllReduce.on(space).columns(COLUMNS).type(DType.F32).build()) {
      figures.add("start-up: operators built, ms", System.currentTimeMillis() - launched);
      Matrix all = Exact.matrix(DType.F32, allRows, INNER, INPUT, arena);
      Matrix mine = Matrix.allocate(DType.F32, ROWS, INNER, arena);
      Exact.fill(mine, INPUT, (long) ROWS * world.rank());
      Matrix product = Matrix.allocate(DType.F32, allRows, COLUMNS, arena);
      Matrix own = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena);
      Matrix sum = Matrix.allocate(DType.F32, allRows, COLUMNS, arena);

      figures.time(
          "gather", STEPS, WARM_UP, () -> gather.run(counts, mine, product.fill(Float.NaN)));
      check(product, 0, WEIGHTS + world.rank(), 1);
      figures.time(
          "reduce-scatter", STEPS, WARM_UP, () -> scatter.run(counts, all, own.fill(Float.NaN)));
      check(own, (long) ROWS * world.rank(), WEIGHTS, ranks);
      figures.time("all-reduce", STEPS, WARM_UP, () -> reduce.run(product, sum.fill(Float.NaN)));
      check(sum, 0, WEIGHTS, ranks);
      figures.addMemory(space.stats().sharedBytes());
    }
  }

  /** Compares rows with those of the input times weights, added up over some ranks' weights. */
  private static void check(Matrix c, long firstRow, long firstWeights, int count) {
    float[][] weights = new float[INNER][COLUMNS];
    for (int k = 0; k < INNER; k++) {
      for (int column = 0; column < COLUMNS; column++) {
        for (int i = 0; i < count; i++) {
          weights[k][column] += Exact.value(firstWeights + i, k, column);
        }
      }
    }
    for (long row = 0; row < c.rows(); row++) {
      for (int column = 0; column < COLUMNS; column++) {
        float expected = 0;
        for (int k = 0; k < INNER; k++) {
          expected += Exact.value(INPUT, firstRow + row, k) * weights[k][column];
        }
        float found = c.get(row, column);
        Report.check(
            found == expected,
            "C[%d, %d] is %s instead of %s".formatted(row, column, found, expected));
      }
    }
  }
}
