// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.bench.Progress;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Explanation;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * C = A x B on the ranks of a world, from files to files.
 *
 * @param out one file of all columns, or a file of each rank with its columns
 * @param outputType the type of C: F32, or that of A and B
 */
public record FileProduct(Inputs inputs, Where out, DType outputType) {
  private static final List<DType> TYPES = List.of(DType.values());

  public FileProduct {
    if (inputs.whole() && !out.isPerRank()) {
      throw new IllegalArgumentException(
          "every rank has all of C when every rank takes all of B: name a file for each, such as c-{rank}.npy, not "
              + out);
    }
  }

  /** What came of it; the same on all ranks, but for the times. */
  public record Outcome(long m, long k, long n, DType type, Explanation plan, Times times) {}

  /**
   * What a rank spent its time on.
   *
   * @param reading with packing, in nanoseconds
   * @param product in nanoseconds
   * @param writing in nanoseconds
   */
  public record Times(long reading, long product, long writing) {}

  /**
   * Looks for what would go wrong on so many ranks, if their files are all within reach.
   *
   * @throws IllegalArgumentException if files do not fit each other
   * @throws IOException if one cannot be read
   */
  public void check(int ranks) throws IOException {
    inputs.check(ranks, true);
    List<long[]> shapes = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      try (RankInputs mine = RankInputs.open(inputs, rank, ranks)) {
        shapes.add(shape(mine));
      }
      checkShape(shapes, rank);
    }
    out.makeDirectory(0);
  }

  /** What ranks tell each other of their inputs: rows of A, columns of B, K, and the type. */
  private static long[] shape(RankInputs mine) {
    return new long[] {mine.a().rows(), mine.n(), mine.k(), TYPES.indexOf(mine.a().type())};
  }

  /** All ranks have rows of one length and type, and C can be what it is to be. */
  private void checkShape(List<long[]> shapes, int rank) {
    long[] first = shapes.getFirst();
    long[] mine = shapes.get(rank);
    if (mine[2] != first[2] || mine[3] != first[3]) {
      throw new IllegalArgumentException(
          "%s has %d columns of %s, but %s has %d of %s: rows of A are of one length and type on all ranks"
              .formatted(
                  inputs.a().of(rank),
                  mine[2],
                  type(mine),
                  inputs.a().of(0),
                  first[2],
                  type(first)));
    }
    if (outputType != DType.F32 && outputType != type(mine)) {
      throw new IllegalArgumentException(
          "C can be F32, or %s as A and B are, but not %s: --out-dtype"
              .formatted(type(mine), outputType));
    }
  }

  private static DType type(long[] shape) {
    return TYPES.get((int) shape[3]);
  }

  /**
   * Does it. Collective over all ranks of the world.
   *
   * @throws AgreedException on all ranks, if one cannot read or write
   */
  public Outcome run(World world, Progress progress) throws IOException {
    long start = System.nanoTime();
    Group group = world.group();
    CollectiveTask task = new CollectiveTask(group);
    task.run(
        () -> {
          inputs.check(world.size(), false);
          out.makeDirectory(world.rank());
        });
    try (RankInputs mine = task.open(() -> RankInputs.open(inputs, world.rank(), world.size()));
        Arena arena = Arena.ofShared()) {
      List<long[]> shapes = task.tell(shape(mine));
      task.run(() -> checkShape(shapes, world.rank()));
      long[] rows = shapes.stream().mapToLong(shape -> shape[0]).toArray();
      long[] columns = shapes.stream().mapToLong(shape -> shape[1]).toArray();
      long m = Arrays.stream(rows).sum();
      try (Workspace space =
              Workspace.on(group).rows(m).columns(mine.k()).type(mine.a().type()).open();
          PackedWeights weights = world.pack(mine.b(), inputs.layout());
          AllGatherMatmul operator = build(space, weights)) {
        Matrix c = Matrix.allocate(outputType, m, mine.n(), arena);
        progress.at("reading A", 0, m, Progress.Unit.ROWS);
        long product;
        long writing;
        try (Step step = operator.begin(RowCounts.known(rows))) {
          step.input().copyFrom(mine.a());
          product = System.nanoTime();
          progress.at("multiplying", 0, m, Progress.Unit.ROWS);
          step.run(c);
          writing = System.nanoTime();
        }
        new Output(out, columns).write(world.rank(), c, task, progress);
        Times times = new Times(product - start, writing - product, System.nanoTime() - writing);
        long n = inputs.whole() ? mine.n() : Arrays.stream(columns).sum();
        return new Outcome(m, mine.k(), n, mine.a().type(), operator.explain(), times);
      }
    }
  }

  private AllGatherMatmul build(Workspace space, PackedWeights weights) {
    return AllGatherMatmul.on(space).output(weights).outputType(outputType).build();
  }
}
