// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllReduce;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Rank that compares what comes into a host for one all-gather with the rows of the other hosts,
 * and for sums with what each of these has for this one: added up over its ranks, that is each row
 * once.
 */
public final class RowsEnterOnce {
  private static final long ROWS = 2048;
  private static final long COLUMNS = 2048;

  private RowsEnterOnce() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      Group group = world.group();
      long otherHosts = group.hosts().count() - 1L;
      int here = group.hosts().size(group.hosts().hostOf(group.rank()));
      long allRows = ROWS * group.size();
      long[] rows = new long[group.size()];
      Arrays.fill(rows, ROWS);
      try (Arena arena = Arena.ofConfined();
          Workspace space = Workspace.on(group).rows(allRows).columns(COLUMNS).open();
          AllGather gather = AllGather.on(space).build();
          ReduceScatter scattered = ReduceScatter.on(space).build();
          AllReduce forAll = AllReduce.on(space).build()) {
        Matrix x = Matrix.allocate(DType.F32, allRows, COLUMNS, arena);
        Matrix y = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena);
        long others = (long) group.size() - here;
        check(group, "each row enters each host once", others * ROWS, () -> step(gather, rows));
        check(
            group,
            "each sum leaves each host once",
            otherHosts * here * ROWS,
            () -> scattered.run(RowCounts.known(rows), x, y));
        check(
            group,
            "each sum for all leaves each host once for each other",
            otherHosts * allRows,
            () -> forAll.run(x, x));
      }
    }
  }

  private static void check(Group group, String test, long rows, Runnable step) {
    Report.run(
        test,
        () -> {
          step.run(); // connections are made at the first use
          group.broadcast(0, new byte[0]);
          long before = Self.bytesReceived();
          group.broadcast(0, new byte[0]);
          step.run();
          group.broadcast(0, new byte[0]);
          long entered = Self.bytesReceived() - before;
          long needed = rows * COLUMNS * Float.BYTES;
          double ratio = (double) entered / needed;
          Report.figure(
              "rank %d: %s: %,d bytes came in, %,d had to: %.3f"
                  .formatted(group.rank(), test, entered, needed, ratio));
          Report.check(ratio >= 1 && ratio <= 1.10, "the ratio is " + ratio);
        });
  }

  private static void step(AllGather gather, long[] rows) {
    try (Step step = gather.begin(RowCounts.known(rows))) {
      step.input().fill(1);
      step.run();
    }
  }
}
