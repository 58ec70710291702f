// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.failure.GemmflowException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.kit.Pauses;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Rank of a job that runs steps, in one of which a rank sends itself a signal; the others must
 * throw in time and name it. Arguments: the signal, a seed, the deadline in milliseconds.
 */
public final class LostRank {
  private static final int STEPS = 100_000;
  private static final int K = 16;
  private static final int N = 8;
  private static final long ROWS_PER_RANK = 8;

  private LostRank() {}

  public static void main(String[] arguments) {
    String signal = arguments[0];
    Draw draw = new Draw(Long.parseLong(arguments[1]));
    Duration deadline = Duration.ofMillis(Long.parseLong(arguments[2]));
    try (World world = World.join(Config.builder().deadline(deadline).build())) {
      int lost = draw.below(world.size());
      int lostStep = 20 + draw.below(200);
      boolean beforeRun = draw.chance(0.5);
      long[] progressAt = {Pauses.clock()};
      try {
        steps(world, lost, lostStep, beforeRun, signal, progressAt);
        throw new AssertionError("nothing was noticed");
      } catch (GemmflowException e) {
        double seconds = (Pauses.clock() - progressAt[0]) / 1e9;
        Report.run(
            "lost rank " + arguments[1],
            () -> {
              Report.figure(
                  "rank %d after %.2f s: %s".formatted(world.rank(), seconds, e.getMessage()));
              Report.check(seconds < deadline.toMillis() / 1e3 + 1, "too late: " + seconds);
              Report.check(
                  String.valueOf(e.getMessage()).contains("rank " + lost),
                  "rank %d is lost: %s".formatted(lost, e.getMessage()));
            });
      }
    }
  }

  private static void steps(
      World world, int lost, int lostStep, boolean beforeRun, String signal, long[] progressAt) {
    Group group = world.group();
    long rows = ROWS_PER_RANK * group.size();
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(group).rows(rows).columns(K).open();
        PackedWeights weights =
            world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT);
        AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build();
        MatmulReduceScatter sum = MatmulReduceScatter.on(space).weights(weights).build()) {
      Matrix c = Matrix.allocate(DType.F32, rows, N, arena);
      Matrix a = Exact.matrix(DType.F32, rows, K, 2, arena);
      for (int i = 0; i < STEPS; i++) {
        boolean now = world.rank() == lost && i == lostStep;
        if (i % 2 == 1) {
          if (now && beforeRun) {
            sendSelf(signal);
          }
          sum.run(a, c.rows(0, ROWS_PER_RANK));
          progressAt[0] = Pauses.clock();
          if (now) {
            sendSelf(signal);
          }
          continue;
        }
        try (Step step = linear.begin(RowCounts.mine(ROWS_PER_RANK))) {
          Exact.fill(step.input(), i, step.firstRow());
          if (now && beforeRun) {
            sendSelf(signal);
          }
          step.run(c);
          if (now) {
            sendSelf(signal);
          }
          Exact.checkProduct(c, i, 1, K);
        }
        progressAt[0] = Pauses.clock();
      }
    }
  }

  /** The signal has come when this returns, if this returns. */
  private static void sendSelf(String signal) {
    try {
      String pid = Long.toString(ProcessHandle.current().pid());
      Process kill = new ProcessBuilder("kill", "-" + signal, pid).start();
      kill.waitFor();
      while (true) {
        LockSupport.parkNanos(1_000_000_000);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
