// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Gathering;
import io.github.gemmflow.Group;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.plan.Overlap;
import io.github.gemmflow.plan.Path;
import io.github.gemmflow.plan.Plan;
import io.github.gemmflow.plan.Tuning;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** A layer that gathers its rows: all ranks have some rows of A, and weights of their own. */
final class GatherLayer extends Layer {

  private final Arena arena = Arena.ofShared();
  private final Workspace space;
  private final Workspace unfusedSpace;
  private final Workspace aloneSpace;
  private final AllGatherMatmul pipelined;
  private final AllGatherMatmul sequential;
  private final AllGather gather;
  private final AllGatherMatmul alone;
  private final Product product;
  private final int threads;
  private final long bSeed;
  private final long[] rows;
  private final long[] allRows;
  private final Matrix a;
  private final Matrix c;
  private final Block aBlock = new Block();
  private final Block cBlock = new Block();

  /**
   * Prepares a layer. Collective.
   *
   * @param group who shares the rows
   * @param single a group of this rank alone
   */
  GatherLayer(World world, Group group, Group single, Size size, Tuning tuning) {
    super(size);
    this.threads = world.config().threads();
    this.rows = shares(size.m(), group.size());
    this.allRows = new long[] {size.m()};
    this.bSeed = 2L + world.rank();
    Tuning unfused = tuning.withOverlap(Overlap.SEQUENTIAL).withPath(Path.GATHERED);
    this.space = group.workspace(size.m(), size.k(), size.type(), tuning);
    this.unfusedSpace = group.workspace(size.m(), size.k(), size.type(), unfused);
    this.aloneSpace = single.workspace(size.m(), size.k(), size.type());
    try (Arena temporary = Arena.ofConfined();
        PackedWeights weights = pack(world, temporary)) {
      this.pipelined = AllGatherMatmul.on(space).weights(weights).build();
      this.sequential = AllGatherMatmul.on(unfusedSpace).weights(weights).build();
      this.gather = AllGather.on(unfusedSpace).columns(size.k()).build();
      this.alone = AllGatherMatmul.on(aloneSpace).weights(weights).build();
      this.product =
          world.kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, threads));
    }
    this.a = Matrix.allocate(size.type(), size.m(), size.k(), arena);
    this.c = Matrix.allocate(DType.F32, size.m(), size.n(), arena);
    Integers.fill(a, A_SEED, 0, 0);
    a.block(aBlock, 0, size.m());
    c.block(cBlock, 0, size.m());
    fillRooms(group.rank());
  }

  private PackedWeights pack(World world, Arena temporary) {
    Matrix b = Matrix.allocate(size().type(), size().k(), size().n(), temporary);
    Integers.fill(b, bSeed, 0, 0);
    return world.pack(b, WeightLayout.IN_OUT);
  }

  /** Steps of a workspace take turns in two rooms, and rows stay where they were written. */
  private void fillRooms(int rank) {
    long first = Arrays.stream(rows, 0, rank).sum();
    Matrix mine = a.rows(first, first + rows[rank]);
    for (int room = 0; room < 2; room++) {
      write(pipelined, rows, mine);
      write(sequential, rows, mine);
      write(alone, allRows, a);
    }
  }

  private void write(Gathering operator, long[] counts, Matrix values) {
    try (Step step = operator.begin(counts)) {
      step.input().copyFrom(values);
      step.run(c);
    }
  }

  @Override
  public void run(View view) {
    switch (view) {
      case GEMM -> multiply();
      case COMPUTE_ONLY -> step(alone, allRows, c);
      case COMM_ONLY -> step(gather, rows);
      case SEQUENTIAL -> step(sequential, rows, c);
      case PIPELINED -> step(pipelined, rows, c);
    }
  }

  /** The kernel alone knows one thread; for more, the operator is as close as it gets. */
  private void multiply() {
    if (threads == 1) {
      product.multiply(0, aBlock, cBlock, 0);
    } else {
      step(alone, allRows, c);
    }
  }

  private static void step(Gathering operator, long[] counts, Matrix... outputs) {
    try (Step step = operator.begin(counts)) {
      step.run(outputs);
    }
  }

  @Override
  public boolean verify(View view) {
    c.fill(Float.NaN);
    run(view);
    return Integers.isProduct(c, A_SEED, 0, bSeed, size().k());
  }

  @Override
  Workspace space() {
    return space;
  }

  @Override
  double flops() {
    return 2.0 * size().m() * size().k() * size().n();
  }

  @Override
  long bytesToCross() {
    long bytes = size().m() * size().k() * size().type().bytes();
    return bytes * (pipelined.plan().domains().count() - 1);
  }

  @Override
  String describePlan() {
    return pipelined.plan().toString();
  }

  @Override
  Map<String, Object> planFields() {
    Plan plan = pipelined.plan();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("schedule", plan.schedule().name());
    fields.put("path", plan.path().toString());
    fields.put("chunkRows", plan.chunkRows(size().m() / rows.length));
    return fields;
  }

  @Override
  public void close() {
    product.close();
    alone.close();
    gather.close();
    sequential.close();
    pipelined.close();
    aloneSpace.close();
    unfusedSpace.close();
    space.close();
    arena.close();
  }
}
