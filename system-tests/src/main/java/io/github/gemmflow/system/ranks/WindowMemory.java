// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;

/** Rank that compares the memory that the windows of one host take with two steps' worth of A. */
public final class WindowMemory {
  private static final long ROWS = 16_384;
  private static final long COLUMNS = 2048;

  private WindowMemory() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      Report.run("rows are in memory once", () -> run(world));
    }
  }

  private static void run(World world) {
    Group group = world.group();
    try (Workspace space = Workspace.on(group).rows(ROWS).columns(COLUMNS).type(DType.BF16).open();
        AllGather gather = AllGather.on(space).columns(COLUMNS).build()) {
      for (int i = 0; i < 4; i++) {
        try (Step step = gather.begin(RowCounts.mine(ROWS / group.size()))) {
          step.input().fill(i);
          step.run();
          // Reads every page, so that each process has all of them mapped.
          for (long row = 0; row < ROWS; row++) {
            Report.check(step.gathered().get(row, row % COLUMNS) == i, "row " + row + " is wrong");
          }
        }
      }
      group.broadcast(0, new byte[0]);
      byte[] mine = Long.toString(Self.windowShareBytes()).getBytes(UTF_8);
      long all = 0;
      for (int rank = 0; rank < group.size(); rank++) {
        all += Long.parseLong(new String(group.broadcast(rank, mine), UTF_8));
      }
      long steps = 2 * ROWS * COLUMNS * DType.BF16.bytes();
      double ratio = (double) all / steps;
      if (world.rank() == 0) {
        Report.figure(
            "%,d bytes of windows, by proportional share, for %,d bytes of two steps: %.3f"
                .formatted(all, steps, ratio));
      }
      Report.check(ratio >= 1 && ratio <= 1.10, "the ratio is " + ratio);
    }
  }
}
