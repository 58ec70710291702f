// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import org.jspecify.annotations.Nullable;

/**
 * Rank that does what HotSpot handles with signals, while MPI, which likes signals too, is
 * initialised and steps run: null checks, stack overflows, and safepoints of full collections. Uses
 * nothing but Gemmflow's own modules.
 */
public final class Guest {
  private static final int NULL_CHECKS = 100_000;
  private static final int OVERFLOWS = 20;
  private static final int COLLECTIONS = 20;
  private static final long ROWS = 64;
  private static final long COLUMNS = 256;

  private @Nullable String text;
  private int depth;

  private Guest() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      Report.run("null checks", () -> new Guest().nullChecks());
      Report.run("stack overflows", () -> new Guest().overflows());
      Report.run("collections under load", () -> collections(world));
      Report.run("null checks afterwards", () -> new Guest().nullChecks());
    }
  }

  private void nullChecks() {
    int caught = 0;
    for (int i = 0; i < NULL_CHECKS; i++) {
      try {
        caught += length();
      } catch (NullPointerException e) {
        caught++;
      }
    }
    Report.check(caught == NULL_CHECKS, caught + " were caught");
  }

  @SuppressWarnings("NullAway") // that it is null is the point
  private int length() {
    return text.length();
  }

  private void overflows() {
    for (int i = 0; i < OVERFLOWS; i++) {
      depth = 0;
      try {
        dive();
        throw new AssertionError("the stack has no end");
      } catch (StackOverflowError e) {
        Report.check(depth > 1000, "it ended at " + depth);
      }
    }
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack ends
  private void dive() {
    depth++;
    dive();
  }

  private static void collections(World world) throws InterruptedException {
    Thread collector =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < COLLECTIONS; i++) {
                    System.gc();
                  }
                });
    Group group = world.group();
    try (Workspace space = Workspace.on(group).rows(ROWS * group.size()).columns(COLUMNS).open();
        AllGather gather = AllGather.on(space).columns(COLUMNS).build()) {
      for (int i = 0; i < 500; i++) {
        try (Step step = gather.begin(RowCounts.mine(ROWS))) {
          step.input().fill(i + world.rank());
          step.run();
          for (int rank = 0; rank < group.size(); rank++) {
            float there = step.gathered().get(rank * ROWS + i % ROWS, i % COLUMNS);
            Report.check(there == i + rank, "step %d has %f".formatted(i, there));
          }
        }
      }
    }
    collector.join();
  }
}
