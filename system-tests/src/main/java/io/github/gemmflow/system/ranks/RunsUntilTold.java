// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;

/** Rank that runs steps until the process is told to end, or something goes wrong. */
public final class RunsUntilTold {
  private static final long STEPS = 100_000_000;

  private RunsUntilTold() {}

  public static void main(String[] arguments) {
    World world = World.join();
    Group group = world.group();
    try (Workspace space = Workspace.on(group).rows(64L * group.size()).columns(64).open();
        AllGather gather = AllGather.on(space).columns(64).build()) {
      for (long i = 0; i < STEPS; i++) {
        try (Step step = gather.begin(RowCounts.mine(64))) {
          step.input().fill(world.rank());
          step.run();
        }
        if (i == 1000) {
          Report.ok("running");
        }
      }
    } catch (IllegalStateException e) {
      Report.figure("rank %d: %s".formatted(world.rank(), e.getMessage()));
    } catch (RuntimeException e) {
      Report.failed("ending", e);
    }
  }
}
