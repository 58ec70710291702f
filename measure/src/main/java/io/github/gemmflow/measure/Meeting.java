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
import java.nio.ByteBuffer;

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

  /** Made on all ranks. Collective. */
  public Meeting(World world) {
    this.group = world.group();
    this.space = Workspace.on(group).rows(world.size()).columns(1).open();
    this.gather = AllGather.on(space).columns(1).build();
    this.all = Matrix.allocate(DType.F32, world.size(), 1, arena);
  }

  /** All ranks of the world. */
  public Group group() {
    return group;
  }

  /**
   * Returns when all ranks are here. Collective. A step in shared memory lets them go at the same
   * time, where a barrier lets one go some 100 us before the other.
   */
  public void meet() {
    try (Step step = gather.begin(RowCounts.mine(1))) {
      step.run(all);
    }
  }

  /**
   * Gives each rank what all ranks give. Collective.
   *
   * @return a row for each rank
   */
  public double[][] show(double... mine) {
    ByteBuffer bytes = ByteBuffer.allocate(mine.length * Double.BYTES);
    bytes.asDoubleBuffer().put(mine);
    byte[][] given = group.allGather(bytes.array());
    double[][] rows = new double[given.length][mine.length];
    for (int rank = 0; rank < rows.length; rank++) {
      ByteBuffer.wrap(given[rank]).asDoubleBuffer().get(rows[rank]);
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
