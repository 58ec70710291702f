// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How many cores ranks that only multiply keep busy. */
@Command(
    name = "cores",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs ranks as threads, which multiply 1024x4096x4096 in BF16 with rows that are all there, and prints the",
      "CPU time of the process for each second: ranks x threads, if nobody waits and nobody does more than asked."
    })
final class CoresBenchmark implements Callable<Integer> {
  private static final int ROWS = 1024;
  private static final int SIZE = 4096;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  @Option(names = "--ranks", defaultValue = "2", description = "(default: 2)")
  private int ranks;

  @Option(names = "--threads", defaultValue = "1", description = "per rank (default: 1)")
  private int threads;

  @Option(names = "--steps", defaultValue = "100", description = "(default: 100)")
  private int steps;

  @Override
  public Integer call() {
    LocalWorld.of(ranks)
        .config(Config.builder().threads(threads).kernelName("onednn").build())
        .run(this::run);
    return 0;
  }

  private void run(World world) {
    long[] rows = new long[ranks];
    Arrays.fill(rows, ROWS / ranks);
    try (Arena arena = Arena.ofShared();
        Workspace space = world.group().workspace(ROWS, SIZE, DType.BF16);
        PackedWeights weights =
            world.pack(Matrix.allocate(DType.BF16, SIZE, SIZE, arena), WeightLayout.IN_OUT);
        AllGatherMatmul operator = AllGatherMatmul.on(space).weights(weights).build()) {
      Matrix c = Matrix.allocate(DType.F32, ROWS, SIZE, arena);
      runSteps(operator, rows, c, steps / 10 + 1);
      long cpu = SYSTEM.getProcessCpuTime();
      long start = System.nanoTime();
      runSteps(operator, rows, c, steps);
      double cores = (double) (SYSTEM.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
      if (world.rank() == 0) {
        System.out.printf(
            Locale.ROOT, "%d rank(s) with %d thread(s): %.3f cores busy%n", ranks, threads, cores);
      }
    }
  }

  private static void runSteps(AllGatherMatmul operator, long[] rows, Matrix c, int count) {
    for (int i = 0; i < count; i++) {
      try (Step step = operator.begin(rows)) {
        step.run(c);
      }
    }
  }
}
