// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import com.sun.management.ThreadMXBean;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Rank that runs many small steps, and as many sums, whose number is the argument, and looks at
 * what has grown meanwhile.
 */
public final class ManySteps {
  private static final int K = 16;
  private static final int N = 8;
  private static final long MOST_GROWTH = 1 << 20;
  private static final long MOST_HEAP_PER_STEP = 1024;

  private ManySteps() {}

  public static void main(String[] arguments) {
    int steps = Integer.parseInt(arguments[0]);
    try (World world = World.join()) {
      Report.run("nothing leaks", () -> run(world, steps));
    }
  }

  /** What may grow. */
  private record Usage(long resident, long files, long threads, long sharedFiles, long heap) {
    static Usage now() {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      return new Usage(
          Self.residentBytes(),
          Self.openFiles(),
          Self.threads(),
          Self.sharedMemoryFiles(),
          threads.getTotalThreadAllocatedBytes());
    }
  }

  private static void run(World world, int steps) {
    Group group = world.group();
    long[] rows = new long[group.size()];
    Arrays.fill(rows, 2);
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(group).rows(2L * group.size()).columns(K).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT);
        AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build();
        MatmulReduceScatter sum = MatmulReduceScatter.on(space).weights(weights).build()) {
      Matrix a = Exact.matrix(DType.F32, 2L * group.size(), K, 3, arena);
      Matrix mine = Matrix.allocate(DType.F32, 2, N, arena);
      Matrix c = Matrix.allocate(DType.F32, 2L * group.size(), N, arena);
      // First for the JIT and for the classes that look, whose memory is not what is looked at.
      runSteps(
          linear, () -> sum.run(RowCounts.known(rows), a, mine), rows, c, 0, steps, group.rank());
      Usage.now();
      Usage begin = Usage.now();
      runSteps(
          linear,
          () -> sum.run(RowCounts.known(rows), a, mine),
          rows,
          c,
          0,
          steps / 2,
          group.rank());
      Usage half = Usage.now();
      runSteps(
          linear,
          () -> sum.run(RowCounts.known(rows), a, mine),
          rows,
          c,
          steps / 2,
          steps,
          group.rank());
      Usage end = Usage.now();
      Exact.checkProduct(c, steps - 1, 1, K);
      // What leaks grows in both halves; a late compilation, which takes memory once, in one.
      long grown = Math.min(half.resident - begin.resident, end.resident - half.resident);
      double heap = (double) (end.heap - half.heap) / (steps - steps / 2) / 2;
      Report.figure(
          "rank %d: in %,d steps resident memory grew by %,d KiB; %.0f bytes of heap per step; %d files, %d threads, %d in /dev/shm"
              .formatted(
                  world.rank(),
                  steps - steps / 2,
                  grown / 1024,
                  heap,
                  end.files,
                  end.threads,
                  end.sharedFiles));
      Report.check(grown <= MOST_GROWTH, "resident memory grew by " + grown);
      Report.check(heap <= MOST_HEAP_PER_STEP, heap + " bytes of heap per step");
      Report.check(end.files == half.files, "files: " + half.files + ", then " + end.files);
      Report.check(end.threads == half.threads, "threads: " + half.threads + ", " + end.threads);
      Report.check(end.sharedFiles == half.sharedFiles, "the files in /dev/shm have changed");
    }
  }

  private static void runSteps(
      AllGatherMatmul linear, Runnable sum, long[] rows, Matrix c, int from, int to, int rank) {
    for (int i = from; i < to; i++) {
      sum.run();
      try (Step step = linear.begin(RowCounts.known(rows))) {
        Exact.fill(step.input(), i, 2L * rank);
        step.run(c);
      }
    }
  }
}
