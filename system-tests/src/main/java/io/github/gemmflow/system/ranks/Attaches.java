// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.mpi.MpiEngine;
import io.github.gemmflow.mpi.binding.Mpi;

/** A program that initialises MPI itself, at the level of the argument, and goes on without us. */
public final class Attaches {
  private Attaches() {}

  public static void main(String[] arguments) {
    Mpi mpi = Mpi.load();
    mpi.init(Mpi.ThreadLevel.valueOf(arguments[0]));
    for (int i = 0; i < 2; i++) {
      try (World world = World.attach(MpiEngine::attach)) {
        Report.run("a world on the program's MPI, " + i, () -> gather(world));
      }
    }
    Report.run(
        "MPI goes on", () -> Report.check(mpi.size(mpi.world()) > 1, "the world has one rank"));
    mpi.finish();
  }

  private static void gather(World world) {
    Group group = world.group();
    try (Workspace space = Workspace.on(group).rows(3L * group.size()).columns(4).open();
        AllGather gather = AllGather.on(space).columns(4).build();
        Step step = gather.begin(RowCounts.mine(3))) {
      step.input().fill(world.rank());
      step.run();
      for (int rank = 0; rank < group.size(); rank++) {
        Report.check(step.gathered().get(3L * rank, 2) == rank, "wrong rows of rank " + rank);
      }
    }
  }
}
