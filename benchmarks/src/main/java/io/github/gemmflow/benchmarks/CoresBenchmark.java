// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Counted;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Benchmark of the cores that ranks which only multiply keep busy. */
@Command(
    name = "cores",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs ranks as threads, which multiply 1024x4096x4096 in BF16, each for itself with rows that are all there,",
      "and prints the CPU time of the process for each second: at most ranks x threads, if",
      "no other program runs."
    })
final class CoresBenchmark implements Callable<Integer> {
  private static final int ROWS = 1024;
  private static final int SIZE = 4096;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  @Option(names = "--ranks", defaultValue = "2", description = "number of ranks (default: 2)")
  private int ranks;

  @Option(names = "--threads", defaultValue = "1", description = "threads per rank (default: 1)")
  private int threads;

  @Option(names = "--seconds", defaultValue = "5", description = "seconds to measure (default: 5)")
  private int seconds;

  private final AtomicBoolean over = new AtomicBoolean();

  @Override
  public Integer call() {
    LocalWorld.of(ranks)
        .config(Config.builder().threads(threads).kernelName("onednn").build())
        .run(this::run);
    return 0;
  }

  private void run(World world) {
    Group alone = world.split(ReplicaGroups.ofSize(1));
    long[] rows = {ROWS};
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(alone).rows(ROWS).columns(SIZE).type(DType.BF16).open();
        PackedWeights weights =
            world.pack(Matrix.allocate(DType.BF16, SIZE, SIZE, arena), WeightLayout.IN_OUT);
        AllGatherMatmul operator = AllGatherMatmul.on(space).output(weights).build()) {
      Matrix c = Matrix.allocate(DType.F32, ROWS, SIZE, arena);
      Runnable step =
          () -> {
            try (Step s = operator.begin(RowCounts.known(rows))) {
              s.run(c);
            }
          };
      // Nobody measures before everybody works.
      world.group().barrier();
      if (world.rank() == 0) {
        measure(step);
      } else {
        while (!over.get()) {
          step.run();
        }
      }
    }
  }

  private void measure(Runnable step) {
    runFor(1, step);
    long cpu = SYSTEM.getProcessCpuTime();
    long start = System.nanoTime();
    runFor(seconds, step);
    double cores = (double) (SYSTEM.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
    over.set(true);
    System.out.printf(
        Locale.ROOT,
        "%s with %s: %.3f cores busy%n",
        Counted.of(ranks, "rank"),
        Counted.of(threads, "thread"),
        cores);
  }

  private static void runFor(int seconds, Runnable step) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < seconds * 1_000_000_000L) {
      step.run();
    }
  }
}
