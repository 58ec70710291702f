// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.GatherOperator;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.matrix.wire.RowTypes;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;

/** A layer that gathers its rows: all ranks have some rows of A, and weights of their own. */
final class GatherLayer extends Layer {
  private final Arena arena = Arena.ofShared();
  private final Workspace space;
  private final Workspace unfusedSpace;
  private final AllGatherMatmul pipelined;
  private final AllGatherMatmul sequential;
  private final AllGather gather;
  private final LocalProduct localProduct;
  private final Kernel kernel;
  private final int hosts;
  private final long bSeed;
  private final long[] rows;
  private final RowCounts counts;
  private final InputRows a;
  private final Matrix c;

  /** Where the gather alone copies rows that cannot be read in place; none if they can. */
  private final Matrix[] gathered;

  GatherLayer(World world, Group group, Group single, Size size, Tuning tuning) {
    super(size);
    this.rows = Shards.of(size.m(), group.size()).sizes();
    this.counts = RowCounts.known(rows);
    this.hosts = group.hosts().count();
    this.kernel = world.kernel();
    this.bSeed = 2L + world.rank();
    Tuning unfused = tuning.withOverlap(Overlap.SEQUENTIAL).withStorage(Storage.GATHERED);
    this.space =
        Workspace.on(group)
            .rows(size.m())
            .columns(size.k())
            .type(size.type())
            .wireType(size.wire())
            .tuning(tuning)
            .open();
    this.unfusedSpace =
        Workspace.on(group)
            .rows(size.m())
            .columns(size.k())
            .type(size.type())
            .wireType(size.wire())
            .tuning(unfused)
            .open();
    this.a = new InputRows(size.type(), size.m(), size.k(), arena);
    this.c = Matrix.allocate(DType.F32, size.m(), size.n(), arena);
    this.gathered =
        size.wire() == size.type()
            ? new Matrix[0]
            : new Matrix[] {Matrix.allocate(size.type(), size.m(), size.k(), arena)};
    Integers.fill(a.values(), A_SEED, 0, 0);
    try (Arena temporary = Arena.ofConfined();
        PackedWeights weights = pack(world, size.k(), bSeed, 0, temporary)) {
      this.pipelined = AllGatherMatmul.on(space).output(weights).build();
      this.sequential = AllGatherMatmul.on(unfusedSpace).output(weights).build();
      this.gather = AllGather.on(unfusedSpace).columns(size.k()).build();
      this.localProduct = new LocalProduct(world, single, weights, a, c);
    }
    fillRooms(group.rank());
  }

  /** Steps of a workspace take turns in two rooms, and rows stay where they were written. */
  private void fillRooms(int rank) {
    long first = Arrays.stream(rows, 0, rank).sum();
    for (int room = 0; room < 2; room++) {
      write(pipelined, first, first + rows[rank]);
      write(sequential, first, first + rows[rank]);
    }
  }

  private void write(AllGatherMatmul operator, long first, long end) {
    try (Step step = operator.begin(counts)) {
      a.writeTo(step, first, end);
      step.run(c);
    }
  }

  @Override
  public void run(View view) {
    switch (view) {
      case GEMM -> localProduct.multiplyBare();
      case COMPUTE_ONLY -> localProduct.multiply();
      case COMM_ONLY -> step(gather, gathered);
      case SEQUENTIAL -> step(sequential, c);
      case PIPELINED -> step(pipelined, c);
    }
  }

  private void step(GatherOperator operator, Matrix... outputs) {
    try (Step step = operator.begin(counts)) {
      step.run(outputs);
    }
  }

  @Override
  public boolean verify(View view) {
    c.fill(Float.NaN);
    run(view);
    if (size().isExact()) {
      return Integers.isProduct(c, A_SEED, 0, bSeed, size().k());
    }
    int[] here = new int[Math.toIntExact(size().k())];
    return new RoundedProduct(kernel, A_SEED, bSeed, here, true, DType.F32).isNear(c, 0);
  }

  @Override
  public Workspace space() {
    return space;
  }

  @Override
  public double flops() {
    return 2.0 * size().m() * size().k() * size().n() * rows.length;
  }

  @Override
  public long bytesToCross() {
    long rowBytes = new RowTypes(size().type(), size().wire()).format(size().k()).bytes();
    return size().m() * rowBytes * (hosts - 1);
  }

  @Override
  public Explanation explain() {
    return pipelined.explain();
  }

  @Override
  public void close() {
    localProduct.close();
    gather.close();
    sequential.close();
    pipelined.close();
    unfusedSpace.close();
    space.close();
    arena.close();
  }
}
