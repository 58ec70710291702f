// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;

/**
 * Rank that gathers more than 2 GiB of A in chunks of a rank's whole rows, and checks every
 * element.
 */
public final class BigGather {
  private static final long COLUMNS = 16_384;
  private static final long BYTES = (2L << 30) + (256 << 20);

  private BigGather() {}

  public static void main(String[] arguments) {
    try (World world = World.join()) {
      Report.run("a gather of more than 2 GiB", () -> run(world));
    }
  }

  private static void run(World world) {
    Group group = world.group();
    long[] rows = new long[group.size()];
    Arrays.fill(rows, BYTES / (COLUMNS * DType.BF16.bytes() * group.size()));
    long all = Arrays.stream(rows).sum();
    Tuning tuning = Tuning.DEFAULT.withStorage(Storage.GATHERED).withChunkRows(Long.MAX_VALUE);
    try (Workspace space =
            Workspace.on(group).rows(all).columns(COLUMNS).type(DType.BF16).tuning(tuning).open();
        AllGather gather = AllGather.on(space).columns(COLUMNS).build();
        Step step = gather.begin(RowCounts.known(rows))) {
      for (long row = 0; row < step.input().rows(); row++) {
        step.input().rows(row, row + 1).fill(value(step.firstRow() + row));
      }
      step.run();
      check(step.gathered(), all);
      if (world.rank() == 0) {
        Report.figure("%,d bytes of A".formatted(all * COLUMNS * DType.BF16.bytes()));
      }
    }
  }

  /** Rows differ, and so do places that are a power of two apart. */
  private static float value(long row) {
    return row % 251;
  }

  private static void check(Matrix a, long rows) {
    for (long row = 0; row < rows; row++) {
      float[] values = a.rows(row, row + 1).toFloats();
      for (float value : values) {
        Report.check(value == value(row), "row " + row + " has " + value);
      }
    }
  }
}
