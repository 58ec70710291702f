// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.Operator;
import io.github.gemmflow.Stats;
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
import io.github.gemmflow.trace.Timeline;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One rank of a linear layer, ready to run in every view. Made and closed on all ranks. */
public final class Layer implements AutoCloseable {
  private static final long A_SEED = 1;

  private final Size size;
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
   * A layer.
   *
   * @param m rows of A, over all ranks of the group
   * @param k columns of A
   * @param n columns of each rank's weights
   */
  public record Size(long m, long k, long n, DType type) {
    public Size {
      if (m < 1 || k < 1 || n < 1) {
        throw new IllegalArgumentException(
            "a layer of %d x %d x %d has nothing to multiply".formatted(m, k, n));
      }
    }

    @Override
    public String toString() {
      return "%d x %d x %d %s".formatted(m, k, n, type);
    }
  }

  /**
   * Prepares a layer. Collective.
   *
   * @param group who shares the rows
   * @param single a group of this rank alone
   */
  public Layer(World world, Group group, Group single, Size size, Tuning tuning) {
    this.size = size;
    this.threads = world.config().threads();
    this.rows = new long[group.size()];
    for (int rank = 0; rank < rows.length; rank++) {
      rows[rank] = size.m * (rank + 1) / rows.length - size.m * rank / rows.length;
    }
    this.allRows = new long[] {size.m};
    this.bSeed = 2L + world.rank();
    Tuning unfused = tuning.withOverlap(Overlap.SEQUENTIAL).withPath(Path.GATHERED);
    this.space = group.workspace(size.m, size.k, size.type, tuning);
    this.unfusedSpace = group.workspace(size.m, size.k, size.type, unfused);
    this.aloneSpace = single.workspace(size.m, size.k, size.type);
    try (Arena temporary = Arena.ofConfined();
        PackedWeights weights = pack(world, temporary)) {
      this.pipelined = AllGatherMatmul.on(space).weights(weights).build();
      this.sequential = AllGatherMatmul.on(unfusedSpace).weights(weights).build();
      this.gather = AllGather.on(unfusedSpace).columns(size.k).build();
      this.alone = AllGatherMatmul.on(aloneSpace).weights(weights).build();
      this.product =
          world.kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, threads));
    }
    this.a = Matrix.allocate(size.type, size.m, size.k, arena);
    this.c = Matrix.allocate(DType.F32, size.m, size.n, arena);
    Integers.fill(a, A_SEED, 0);
    a.block(aBlock, 0, size.m);
    c.block(cBlock, 0, size.m);
    fillRooms(group.rank());
  }

  private PackedWeights pack(World world, Arena temporary) {
    Matrix b = Matrix.allocate(size.type, size.k, size.n, temporary);
    Integers.fill(b, bSeed, 0);
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

  private void write(Operator operator, long[] counts, Matrix values) {
    try (Step step = operator.begin(counts)) {
      step.input().copyFrom(values);
      step.run(c);
    }
  }

  /** Runs the layer once. Collective. */
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

  private static void step(Operator operator, long[] counts, Matrix... outputs) {
    try (Step step = operator.begin(counts)) {
      step.run(outputs);
    }
  }

  /** Runs a view into a cleared result; returns whether this rank's is exactly right. */
  public boolean verify(View view) {
    c.fill(Float.NaN);
    run(view);
    return Integers.isProduct(c, A_SEED, bSeed, size.k);
  }

  /** Writes down from now on what the pipelined operator does; null for an end to that. */
  void record(@Nullable Timeline timeline) {
    space.record(timeline);
  }

  public Size size() {
    return size;
  }

  /** What this rank's host and this rank need for the rows of pipelined steps, in bytes. */
  public long rowBytes() {
    Stats stats = space.stats();
    return stats.sharedBytes() + stats.ownBytes();
  }

  /** What was decided about the pipelined operator. */
  public Plan plan() {
    return pipelined.plan();
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
