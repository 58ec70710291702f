// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.failure.BrokenException;
import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All operators are run, started and explained in the same way. */
class OperatorTest {
  private static final int RANKS = 3;
  private static final int K = 4;

  private static void onTwoHosts(World.Program program) {
    LocalWorld.onHosts(0, 1, 0).run(program);
  }

  @Test
  void everyOperatorIsRunAndStarted() {
    onTwoHosts(
        world -> {
          int rank = world.rank();
          try (Arena arena = Arena.ofShared();
              Workspace space = Workspace.on(world.group()).rows(6).columns(K).open();
              PackedWeights weights =
                  world.pack(Exact.matrix(DType.F32, K, 2, 1, arena), WeightLayout.IN_OUT);
              Operator gather = AllGather.on(space).build();
              Operator product = AllGatherMatmul.on(space).output(weights).build();
              Operator scatter = ReduceScatter.on(space).columns(K).build();
              Operator reduce = AllReduce.on(space).columns(K).build()) {
            Matrix mine = Matrix.allocate(DType.F32, 2, K, arena);
            Exact.fill(mine, 7, 2L * rank);
            Matrix all = Matrix.allocate(DType.F32, 6, K, arena);
            Matrix c = Matrix.allocate(DType.F32, 6, 2, arena);
            Matrix sum = Matrix.allocate(DType.F32, 2, K, arena);
            for (RowCounts rows : List.of(RowCounts.known(2, 2, 2), RowCounts.mine(2))) {
              gather.start(rows, mine, all).await();
              Exact.check(all.rows(0, 6), 7);
              product.start(rows, mine, c).close();
              Exact.checkProduct(c, 7, 1, K);
              scatter.start(rows, all, sum).await();
              reduce.start(rows, mine, mine).await();
              Exact.fill(mine, 7, 2L * rank);
              gather.run(rows, mine, all);
              product.run(rows, mine, c);
              scatter.run(rows, all, sum);
              checkSum(sum, all, rank);
            }
            product.start(mine, c).await();
            scatter.start(all, sum).await();
            reduce.start(all, all).await();
            assertEquals(5, product.steps());
            List<Operator> operators = List.of(gather, product, scatter, reduce);
            operators.forEach(
                o -> assertTrue(o.explain().toString().contains("chunks of"), "" + o));
          }
        });
  }

  private static void checkSum(Matrix sum, Matrix all, int rank) {
    for (int row = 0; row < 2; row++) {
      for (int column = 0; column < K; column++) {
        assertEquals(RANKS * all.get(2L * rank + row, column), sum.get(row, column));
      }
    }
  }

  /** What does not fit is refused before a step begins, so that the next one is right. */
  @Test
  void whatDoesNotFitIsRefused() {
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(6).columns(8).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, 8, 4, 1, arena), WeightLayout.IN_OUT);
        Operator product = AllGatherMatmul.on(space).output(weights).build();
        Operator reduce = AllReduce.on(space).build()) {
      Matrix a = Matrix.allocate(DType.F32, 2, 8, arena);
      Matrix c = Matrix.allocate(DType.F32, 2, 4, arena);
      refused("(packed IN_OUT): did you mean OUT_IN?", () -> product.run(a.columns(0, 4), c));
      refused("must have 3 rows, not 2", () -> product.run(RowCounts.known(3), a, c));
      refused("for each of the 1 ranks", () -> product.run(RowCounts.known(1, 1), a, c));
      refused("output 0 must be 2 x 4", () -> product.run(RowCounts.known(2), a, c.rows(0, 1)));
      refused("has 1 outputs, not 2", () -> product.run(RowCounts.known(2), a, c, c));
      refused("has 1 outputs, not 2", () -> product.run(a, c, c));
      refused("output 0 must be 2 x 4 F32", () -> product.run(a, c.columns(0, 3)));
      refused("the output must be 1 x 8", () -> reduce.run(a.rows(0, 1), a));
      product.run(a, c);
      reduce.run(a, a);
      assertEquals(1, product.steps());
    }
  }

  /** A wrong layout shows when the operator is built, if the workspace is as wide as the input. */
  @Test
  void aWrongLayoutIsNamedWhenTheOperatorIsBuilt() {
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(6).columns(4).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, 8, 4, 1, arena), WeightLayout.IN_OUT)) {
      AllGatherMatmul.Builder builder = AllGatherMatmul.on(space).output(weights);
      refused("the weights have 8 inputs (packed IN_OUT): did you mean OUT_IN?", builder::build);
    }
  }

  private static void refused(String message, org.junit.jupiter.api.function.Executable call) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call);
    assertTrue(String.valueOf(e.getMessage()).contains(message), e::toString);
  }

  /** A gather that is started and fails says so when its handle is closed, and breaks the group. */
  @Test
  void aStartedGatherThatFailsIsNotSilent() {
    try (World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(2).columns(1).open();
        AllGather gather = AllGather.on(space).build();
        Arena arena = Arena.ofShared()) {
      Matrix a = Matrix.allocate(DType.F32, 1, 1, arena);
      Matrix tooSmall = Matrix.allocate(DType.F32, 2, 1, arena);
      assertThrows(IllegalArgumentException.class, () -> gather.start(a, tooSmall));
      assertThrows(BrokenException.class, () -> gather.run(a, a));
    }
  }

  /** An epilogue of a sum is applied once, to the sum of all ranks. */
  @Test
  void aSumHasAnEpilogue() {
    onTwoHosts(
        world -> {
          try (Arena arena = Arena.ofShared();
              Workspace space = Workspace.on(world.group()).rows(3).open();
              PackedWeights weights =
                  world.pack(Matrix.allocate(DType.F32, 1, 2, arena).fill(1), WeightLayout.IN_OUT);
              Operator sum =
                  MatmulAllReduce.on(space)
                      .weights(weights)
                      .epilogue(
                          Epilogue.of(Activation.RELU)
                              .withBias(Matrix.allocate(DType.F32, 1, 2, arena).fill(-5)))
                      .addToOutput()
                      .build()) {
            Matrix a = Matrix.allocate(DType.F32, 3, 1, arena).copyFrom(new float[] {1, 2, 3});
            Matrix c = Matrix.allocate(DType.F32, 3, 2, arena).fill(10);
            sum.run(a, c);
            // 3, 6 and 9 minus 5, none of them below 0, added to 10.
            for (int column = 0; column < 2; column++) {
              assertEquals(10, c.get(0, column));
              assertEquals(11, c.get(1, column));
              assertEquals(14, c.get(2, column));
            }
          }
        });
  }

  /** Sums count, as gathers do. */
  @Test
  void statsCountSums() {
    try (Arena arena = Arena.ofShared();
        World world = World.single();
        Workspace space = Workspace.on(world.group()).rows(6).open();
        Operator sum = AllReduce.on(space).columns(2).build()) {
      Matrix x = Matrix.allocate(DType.F32, 6, 2, arena);
      sum.run(x, x);
      sum.run(x, x);
      Stats stats = space.stats();
      assertEquals(2, stats.steps());
      assertEquals(12, stats.rows());
      assertTrue(stats.runs() >= 2, stats::toString);
      assertEquals(stats.runs() == 2 ? 2 : 0, stats.plainSteps(), stats::toString);
    }
  }
}
