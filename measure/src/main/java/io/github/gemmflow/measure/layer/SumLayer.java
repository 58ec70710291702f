// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.AllReduce;
import io.github.gemmflow.Group;
import io.github.gemmflow.MatmulAllReduce;
import io.github.gemmflow.MatmulReduceScatter;
import io.github.gemmflow.Operator;
import io.github.gemmflow.ReduceScatter;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A layer that sums products: each rank has some columns of A and the rows of the weights that
 * belong to them. One after the other, the product is computed in one piece, and then summed.
 */
final class SumLayer extends Layer {
  private static final long B_SEED = 2;

  private final Arena arena = Arena.ofShared();
  private final Workspace space;
  private final Workspace unfusedSpace;
  private final BiConsumer<Matrix, Matrix> fused;
  private final BiConsumer<Matrix, Matrix> sum;
  private final List<Operator> operators = new ArrayList<>();
  private final Operator pipelined;
  private final int hosts;
  private final LocalProduct localProduct;
  private final Kernel kernel;
  private final long firstRow;
  private final long inputs;
  private final InputRows a;

  /** A as reals, which become int8 as they are multiplied. */
  private final Matrix reals;

  private final int[] hostOfColumn;
  private final Matrix partial;
  private final Matrix c;

  SumLayer(World world, Group group, Group single, Size size, Tuning tuning) {
    super(size);
    int rank = group.rank();
    boolean scattered = size.operation() == Operation.REDUCE_SCATTER;
    long[] rows = Shards.of(size.m(), group.size()).sizes();
    long[] columns = Shards.of(size.k(), group.size()).sizes();
    long firstColumn = Arrays.stream(columns, 0, rank).sum();
    this.inputs = columns[rank];
    this.hosts = group.hosts().count();
    this.kernel = world.kernel();
    this.firstRow = scattered ? Arrays.stream(rows, 0, rank).sum() : 0;
    this.space = Workspace.on(group).rows(size.m()).type(size.type()).tuning(tuning).open();
    this.unfusedSpace = Workspace.on(group).rows(size.m()).type(size.type()).tuning(tuning).open();
    this.a = new InputRows(size.type(), size.m(), inputs, arena);
    this.partial = Matrix.allocate(DType.F32, size.m(), size.n(), arena);
    this.c = Matrix.allocate(DType.F32, scattered ? rows[rank] : size.m(), size.n(), arena);
    Integers.fill(a.values(), A_SEED, 0, firstColumn);
    this.reals =
        size.type().isReal()
            ? a.values()
            : Matrix.allocate(DType.F32, size.m(), inputs, arena).copyFrom(a.values());
    this.hostOfColumn = hostOfColumn(group, columns);
    try (Arena temporary = Arena.ofConfined();
        PackedWeights weights = pack(world, inputs, B_SEED, firstColumn, temporary)) {
      if (scattered) {
        MatmulReduceScatter both =
            MatmulReduceScatter.on(space).weights(weights).wireType(size.wire()).build();
        ReduceScatter only =
            ReduceScatter.on(unfusedSpace).columns(size.n()).wireType(size.wire()).build();
        RowCounts counts = RowCounts.known(rows);
        this.pipelined = both;
        this.fused = (in, out) -> both.run(counts, in, out);
        this.sum = (in, out) -> only.run(counts, in, out);
        operators.addAll(List.of(both, only));
      } else {
        MatmulAllReduce both =
            MatmulAllReduce.on(space).weights(weights).wireType(size.wire()).build();
        AllReduce only = AllReduce.on(unfusedSpace).columns(size.n()).wireType(size.wire()).build();
        this.pipelined = both;
        this.fused = both::run;
        this.sum = only::run;
        operators.addAll(List.of(both, only));
      }
      this.localProduct = new LocalProduct(world, single, weights, a, partial);
    }
  }

  private static int[] hostOfColumn(Group group, long[] columns) {
    int[] hosts = new int[Math.toIntExact(Arrays.stream(columns).sum())];
    int column = 0;
    for (int rank = 0; rank < columns.length; rank++) {
      int end = column + (int) columns[rank];
      Arrays.fill(hosts, column, end, group.hosts().hostOf(rank));
      column = end;
    }
    return hosts;
  }

  @Override
  public void run(View view) {
    switch (view) {
      case GEMM -> localProduct.multiplyBare();
      case COMPUTE_ONLY -> localProduct.multiply();
      case COMM_ONLY -> sum.accept(partial, c);
      case SEQUENTIAL -> {
        if (size().type().isReal()) {
          localProduct.multiplyBare();
        } else {
          localProduct.multiply(reals);
        }
        sum.accept(partial, c);
      }
      case PIPELINED -> fused.accept(reals, c);
    }
  }

  @Override
  public boolean verify(View view) {
    partial.fill(Float.NaN);
    c.fill(Float.NaN);
    run(view);
    if (size().isExact()) {
      return Integers.isProduct(c, A_SEED, firstRow, B_SEED, size().k());
    }
    boolean rounds = !size().type().isReal();
    return new RoundedProduct(kernel, A_SEED, B_SEED, hostOfColumn, rounds, size().wire())
        .isNear(c, firstRow);
  }

  @Override
  public Workspace space() {
    return space;
  }

  @Override
  public double flops() {
    return 2.0 * size().m() * size().k() * size().n();
  }

  /**
   * The sum over its ranks leaves each host for each other one that wants it, unless one host adds
   * up for all and that takes fewer bytes.
   */
  @Override
  public long bytesToCross() {
    long others = hosts - 1L;
    boolean scattered = size().operation() == Operation.REDUCE_SCATTER;
    long rowBytes = RowFormat.ofPartialSums(size().wire(), size().n()).bytes();
    if (scattered) {
      return size().m() * rowBytes * others;
    }
    long staged = rowBytes + size().n() * Float.BYTES;
    return size().m() * others * Math.min(rowBytes * hosts, staged);
  }

  @Override
  public Explanation explain() {
    return pipelined.explain();
  }

  @Override
  public void close() {
    localProduct.close();
    operators.forEach(Operator::close);
    unfusedSpace.close();
    space.close();
    arena.close();
  }
}
