// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Config;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Draw;
import io.github.gemmflow.kit.Exact;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Program in which one rank throws, or sends itself a signal, at a random point of set-up, step or
 * close. Every other rank must end in time, and say why. Arguments: the fault (THROW, KILL or
 * TERM), a seed, the deadline in milliseconds.
 */
public final class FailsSomewhere {
  /** Begins the line with the time at which the fault came, in milliseconds since the epoch. */
  public static final String FAULT_AT = "fault at ";

  /** What the message of a rank that throws says. */
  public static final String BUG = "a bug in the program of rank ";

  private static final int K = 16;
  private static final int N = 8;

  private enum Point {
    JOIN,
    SPLIT,
    WORKSPACE,
    BUILD,
    STEP,
    BROADCAST,
    CLOSE
  }

  private final String fault;
  private final Point point;
  private final int lost;
  private final int lostStep;
  private final int rank = Launcher.current().rank();

  private FailsSomewhere(String fault, long seed) {
    Draw draw = new Draw(seed);
    this.fault = fault;
    this.point = draw.oneOf(List.of(Point.values()));
    this.lost = draw.below(Launcher.current().tasks());
    this.lostStep = draw.below(50);
  }

  public static void main(String[] arguments) {
    new FailsSomewhere(arguments[0], Long.parseLong(arguments[1]))
        .run(Duration.ofMillis(Long.parseLong(arguments[2])));
  }

  private void run(Duration deadline) {
    // Processes that start together on few cores take seconds to meet.
    Config config =
        Config.builder().deadline(deadline).setupDeadline(deadline.multipliedBy(4)).build();
    try {
      failAt(Point.JOIN);
      World.run(config, this::program);
      // Who is told to end when all end, anyway, closes its world as they do.
      Report.run(
          toString(),
          () -> Report.check(fault.equals("TERM") && point == Point.CLOSE, "nothing was noticed"));
    } catch (RuntimeException e) {
      if (rank != lost) {
        // The reason names the rank that failed; before ranks have met, nobody knows who is
        // missing.
        String cause = point == Point.JOIN ? "has not connected this process" : "rank " + lost;
        Report.run(toString(), () -> Report.check(e.toString().contains(cause), e.toString()));
      }
      throw e;
    }
  }

  private void program(World world) {
    failAt(Point.SPLIT);
    try (Arena arena = Arena.ofShared();
        Group group = world.split(ReplicaGroups.ofSize(world.size()))) {
      failAt(Point.WORKSPACE);
      try (Workspace space = Workspace.on(group).rows(world.size()).columns(K).open();
          PackedWeights weights =
              world.pack(Exact.matrix(DType.F32, K, N, 1, arena), WeightLayout.IN_OUT)) {
        failAt(Point.BUILD);
        try (AllGatherMatmul linear = AllGatherMatmul.on(space).output(weights).build()) {
          steps(linear, arena, world.size());
        }
      }
      failAt(Point.BROADCAST);
      byte[] _ = group.broadcast(lost, new byte[] {1});
    }
    failAt(Point.CLOSE);
  }

  private void steps(AllGatherMatmul linear, Arena arena, int ranks) {
    Matrix a = Matrix.allocate(DType.F32, 1, K, arena);
    Matrix c = Matrix.allocate(DType.F32, ranks, N, arena);
    for (int i = 0; i < 100; i++) {
      if (i == lostStep) {
        failAt(Point.STEP);
      }
      Exact.fill(a, i, rank);
      linear.run(a, c);
      Exact.checkProduct(c, i, 1, K);
    }
  }

  private void failAt(Point here) {
    if (here != point || rank != lost) {
      return;
    }
    Report.figure(FAULT_AT + System.currentTimeMillis());
    if (fault.equals("THROW")) {
      throw new IllegalStateException(BUG + rank);
    }
    try {
      String pid = Long.toString(ProcessHandle.current().pid());
      new ProcessBuilder("kill", "-" + fault, pid).start().waitFor();
      while (true) {
        LockSupport.parkNanos(1_000_000_000);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return "rank %d of a job whose rank %d fails by %s at %s".formatted(rank, lost, fault, point);
  }
}
