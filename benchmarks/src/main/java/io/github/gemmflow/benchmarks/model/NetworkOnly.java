// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.decoder.Part;
import io.github.gemmflow.models.decoder.Weights;
import java.lang.foreign.Arena;

/**
 * Traffic of the layers of a model, without anything that they compute: for each layer two gathers
 * and two sums of all rows.
 */
final class NetworkOnly implements AutoCloseable {
  private final int layers;
  private final RowCounts rows;
  private final Workspace space;
  private final AllGather gather;
  private final ReduceScatter sum;
  private final Arena arena = Arena.ofShared();
  private final Matrix mine;
  private final Matrix all;
  private final Matrix partial;
  private final Matrix total;

  /** For passes of so many rows. Collective. */
  NetworkOnly(Group group, Weights weights, int rows) {
    ModelConfig config = weights.config();
    Part part = weights.part();
    this.layers = config.layers();
    this.rows = RowCounts.known(part.shares().sizes(rows));
    // Rows travel as floats of as many bytes; in int8 a row has a scale.
    int elementBytes = weights.type().bytes();
    int scaleBytes = weights.type().isReal() ? 0 : Float.BYTES;
    long columns = (elementBytes * (long) config.hidden() + scaleBytes) / Float.BYTES;
    this.space = Workspace.on(group).rows(rows).columns(columns).open();
    this.gather = AllGather.on(space).columns(columns).build();
    this.sum = ReduceScatter.on(space).columns(config.hidden()).build();
    this.mine =
        Matrix.allocate(DType.F32, part.shares().slice(rows, part.rank()).size(), columns, arena);
    this.all = Matrix.allocate(DType.F32, rows, columns, arena);
    this.partial = Matrix.allocate(DType.F32, rows, config.hidden(), arena);
    this.total =
        Matrix.allocate(
            DType.F32, part.shares().slice(rows, part.rank()).size(), config.hidden(), arena);
  }

  /** Sends what a pass sends. Collective. */
  void run() {
    for (int i = 0; i < 2 * layers; i++) {
      gather.run(rows, mine, all);
      sum.run(rows, partial, total);
    }
  }

  @Override
  public void close() {
    gather.close();
    sum.close();
    space.close();
    arena.close();
  }
}
