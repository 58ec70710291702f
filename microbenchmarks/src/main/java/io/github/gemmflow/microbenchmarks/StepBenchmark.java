// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.microbenchmarks;

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
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of a step of one rank when there is next to nothing to multiply. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class StepBenchmark {
  private static final int SIZE = 16;

  /** Of A; the rest is 16 x 16. */
  @Param({"1", "16"})
  public int rows;

  /** The reference kernel shows what is not oneDNN's. */
  @Param({"onednn", "reference"})
  public String kernel;

  @Param({"1", "2"})
  public int threads;

  private Arena arena;
  private World world;
  private Workspace space;
  private AllGatherMatmul operator;
  private Matrix c;
  private long[] rowsPerRank;

  @Setup
  public void open() {
    arena = Arena.ofShared();
    world = World.single(Config.builder().kernelName(kernel).threads(threads).build());
    space = Workspace.on(world.group()).rows(rows).columns(SIZE).type(DType.BF16).open();
    Matrix b = Matrix.allocate(DType.BF16, SIZE, SIZE, arena).fill(1);
    try (PackedWeights weights = world.pack(b, WeightLayout.IN_OUT)) {
      operator = AllGatherMatmul.on(space).output(weights).build();
    }
    c = Matrix.allocate(DType.F32, rows, SIZE, arena);
    rowsPerRank = new long[] {rows};
  }

  @Benchmark
  public Matrix step() {
    try (Step step = operator.begin(RowCounts.known(rowsPerRank))) {
      step.run(c);
    }
    return c;
  }

  @TearDown
  public void close() {
    operator.close();
    space.close();
    world.close();
    arena.close();
  }
}
