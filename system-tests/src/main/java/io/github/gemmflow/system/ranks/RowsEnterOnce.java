// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import java.util.Arrays;

/** Compares what comes into a host for one all-gather with the rows of the other hosts. */
public final class RowsEnterOnce {
  private static final long ROWS = 4096;
  private static final long COLUMNS = 2048;

  private RowsEnterOnce() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      Report.run("each row enters each host once", () -> run(world));
    }
  }

  private static void run(World world) {
    Group group = world.group();
    int ranks = group.size();
    int here = group.domains().size(group.domains().of(group.rank()));
    long[] rows = new long[ranks];
    Arrays.fill(rows, ROWS);
    try (Workspace space = group.workspace(ROWS * ranks, COLUMNS, DType.F32);
        AllGather gather = AllGather.on(space).columns(COLUMNS).build()) {
      step(gather, rows); // connections are made at the first use
      group.broadcast(0, new byte[0]);
      long before = Self.bytesReceived();
      group.broadcast(0, new byte[0]);
      step(gather, rows);
      group.broadcast(0, new byte[0]);
      long entered = Self.bytesReceived() - before;
      long others = (ranks - here) * ROWS * COLUMNS * Float.BYTES;
      double ratio = (double) entered / others;
      Report.figure(
          "rank %d: %,d bytes came in for %,d bytes of rows of other hosts: %.3f"
              .formatted(world.rank(), entered, others, ratio));
      Report.check(ratio >= 1 && ratio <= 1.10, "the ratio is " + ratio);
    }
  }

  private static void step(AllGather gather, long[] rows) {
    try (Step step = gather.begin(rows)) {
      step.input().fill(1);
      step.run();
    }
  }
}
