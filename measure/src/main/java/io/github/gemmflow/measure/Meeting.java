// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/**
 * Meeting of the ranks of a world between measurements, where they show each other what they
 * measured.
 */
public final class Meeting implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final Group group;
  private final Workspace space;
  private final AllGather gather;
  private final Matrix all;

  /**
   * Made on all ranks. Collective.
   *
   * @param columns the most numbers that a rank shows at a time
   */
  public Meeting(World world, int columns) {
    this.group = world.group();
    this.space = Workspace.on(group).rows(world.size()).columns(columns).open();
    this.gather = AllGather.on(space).columns(columns).build();
    this.all = Matrix.allocate(DType.F32, world.size(), columns, arena);
  }

  /** All ranks of the world. */
  public Group group() {
    return group;
  }

  /** Returns when all ranks are here. Collective. */
  public void meet() {
    show(new double[0]);
  }

  /**
   * Gives each rank what all ranks give. Collective.
   *
   * @param mine kept with seven digits
   * @return a row for each rank
   */
  public double[][] show(double[] mine) {
    try (Step step = gather.begin(RowCounts.mine(1))) {
      for (int i = 0; i < mine.length; i++) {
        step.input().set(0, i, (float) mine[i]);
      }
      step.run(all);
    }
    double[][] rows = new double[Math.toIntExact(all.rows())][mine.length];
    for (int row = 0; row < rows.length; row++) {
      for (int i = 0; i < mine.length; i++) {
        rows[row][i] = all.get(row, i);
      }
    }
    return rows;
  }

  @Override
  public void close() {
    gather.close();
    space.close();
    arena.close();
  }
}
