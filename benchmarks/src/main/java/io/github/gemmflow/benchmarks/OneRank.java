// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** Steps of an operator on one rank: what is left of them is the product. */
final class OneRank implements AutoCloseable {
  private final World world;
  private @Nullable Prepared prepared;

  OneRank(int threads) {
    world = World.single(Config.builder().threads(threads).kernelName("onednn").build());
  }

  void prepare(DType type, int m, int k, int n) {
    closePrepared();
    prepared = new Prepared(type, m, k, n);
  }

  /** Runs so many steps; returns the nanoseconds that it took. */
  long run(int times) {
    Prepared ready = prepared;
    if (ready == null) {
      throw new IllegalStateException("nothing is prepared");
    }
    // Whoever ran in between has left its own data in the caches.
    ready.step();
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      ready.step();
    }
    return System.nanoTime() - start;
  }

  private final class Prepared {
    private final Arena arena = Arena.ofShared();
    private final long[] rows;
    private final Workspace space;
    private final AllGatherMatmul operator;
    private final Matrix c;

    Prepared(DType type, int m, int k, int n) {
      rows = new long[] {m};
      space = Workspace.on(world.group()).rows(m).columns(k).type(type).open();
      try (Arena temporary = Arena.ofConfined();
          PackedWeights weights =
              world.pack(pattern(type, k, n, temporary), WeightLayout.IN_OUT, type)) {
        operator = AllGatherMatmul.on(space).output(weights).build();
      }
      c = Matrix.allocate(DType.F32, m, n, arena);
      // Rows stay where they are: each of the two places that steps take turns in is filled once.
      for (int i = 0; i < 2; i++) {
        try (Arena temporary = Arena.ofConfined();
            Step step = operator.begin(RowCounts.known(rows))) {
          step.write(pattern(type, m, k, temporary));
          step.run(c);
        }
      }
    }

    void step() {
      try (Step step = operator.begin(RowCounts.known(rows))) {
        step.run(c);
      }
    }

    private static Matrix pattern(DType type, int rows, int columns, Arena arena) {
      DType given = type.isReal() ? type : DType.F32;
      Matrix matrix = Matrix.allocate(given, rows, columns, arena);
      int state = 1;
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          state = state * 1664525 + 1013904223;
          matrix.set(row, column, (float) (state >>> 8) / (1 << 23) - 1);
        }
      }
      return matrix;
    }

    void close() {
      operator.close();
      space.close();
      arena.close();
    }
  }

  private void closePrepared() {
    if (prepared != null) {
      prepared.close();
    }
    prepared = null;
  }

  @Override
  public void close() {
    closePrepared();
    world.close();
  }
}
