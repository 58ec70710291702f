// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.cli.job.AgreedException;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Progress;
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
 * @param outputType the type of C: F32, or that of A and B; in int8 any of reals
 * @param rounds whether reals are rounded to int8, and multiplied so
 * @param groups how many groups of neighbouring ranks work side by side, each on a product of its
 *     own
 */
public record FileProduct(Inputs inputs, Where out, DType outputType, boolean rounds, int groups) {
  private static final List<DType> TYPES = List.of(DType.values());

  public FileProduct {
    if (groups < 1) {
      throw new IllegalArgumentException("--groups must be at least 1, not " + groups);
    }
    if (groups > 1 && !out.isPerGroup()) {
      throw new IllegalArgumentException(
          "%d groups would write the same file: name one for each, for example c-{group}.npy, not %s"
              .formatted(groups, out));
    }
    if (inputs.whole() && !out.isPerRank()) {
      throw new IllegalArgumentException(
          "every rank has all of C when every rank takes all of B: name a file for each, for example c-{rank}.npy, not "
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
    int size = groupSize(ranks);
    for (int group = 0; group < groups; group++) {
      inGroup(group).checkGroup(size);
    }
  }

  private void checkGroup(int ranks) throws IOException {
    inputs.check(ranks, true);
    List<Shape> shapes = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      try (RankInputs mine = RankInputs.open(inputs, rank, ranks)) {
        shapes.add(Shape.of(mine));
      }
      checkShape(shapes, rank);
    }
    checkInner(shapes);
    out.makeDirectory(0);
  }

  private int groupSize(int ranks) {
    if (ranks % groups != 0) {
      throw new IllegalArgumentException(
          "%d ranks cannot be divided into %d groups".formatted(ranks, groups));
    }
    return ranks / groups;
  }

  /** The product of one group. */
  private FileProduct inGroup(int group) {
    return new FileProduct(inputs.inGroup(group), out.inGroup(group), outputType, rounds, 1);
  }

  /**
   * What ranks tell each other of their inputs: rows and columns of A, columns and rows of B, and
   * the type.
   */
  private record Shape(long rows, long columns, long n, long k, DType type) {
    static Shape of(RankInputs mine) {
      return new Shape(mine.a().rows(), mine.a().columns(), mine.n(), mine.k(), mine.a().type());
    }

    static Shape of(long[] told) {
      return new Shape(told[0], told[1], told[2], told[3], TYPES.get((int) told[4]));
    }

    long[] toTell() {
      return new long[] {rows, columns, n, k, TYPES.indexOf(type)};
    }
  }

  /** All ranks have rows of one length, or columns of one height, of one type. */
  private void checkShape(List<Shape> shapes, int rank) {
    Shape first = shapes.getFirst();
    Shape mine = shapes.get(rank);
    boolean alike = inputs.alongColumns() ? mine.rows == first.rows : mine.columns == first.columns;
    if (!alike || mine.type != first.type) {
      throw new IllegalArgumentException(
          "%s is %d x %d %s, but %s is %d x %d %s: %s must have the same length and type on all ranks"
              .formatted(
                  inputs.a().of(rank),
                  mine.rows,
                  mine.columns,
                  mine.type,
                  inputs.a().of(0),
                  first.rows,
                  first.columns,
                  first.type,
                  inputs.alongColumns() ? "columns of A" : "rows of A"));
    }
    DType product = productType(mine.type);
    boolean good = product.isReal() ? outputType == product : outputType.isReal();
    if (outputType != DType.F32 && !good) {
      throw new IllegalArgumentException(
          "C can be F32, or %s, but not %s: --out-dtype"
              .formatted(product.isReal() ? product + " as A and B are" : "of reals", outputType));
    }
  }

  /** In which type elements of files are multiplied. */
  private DType productType(DType ofFiles) {
    return rounds ? DType.I8 : ofFiles;
  }

  /** The columns of A over all ranks are as many as B has rows. */
  private void checkInner(List<Shape> shapes) {
    long columns = shapes.stream().mapToLong(Shape::columns).sum();
    long k = shapes.getFirst().k;
    if (inputs.alongColumns() && columns != k) {
      throw new IllegalArgumentException(
          "%s has %d columns over all ranks, but B has %d rows; with --along rows each rank's file has whole rows"
              .formatted(inputs.a(), columns, k));
    }
  }

  /**
   * Does it. Collective over all ranks of the world.
   *
   * @throws AgreedException on all ranks, if one cannot read or write
   */
  public Outcome run(World world, Progress progress) throws IOException {
    CollectiveTask task = new CollectiveTask(world.group());
    task.run(() -> groupSize(world.size()));
    int size = groupSize(world.size());
    Group group = groups == 1 ? world.group() : world.split(ReplicaGroups.ofSize(size));
    return inGroup(world.rank() / size).run(world, group, task, progress);
  }

  /**
   * Does it in one group.
   *
   * @param task of all ranks of the world: where one fails, those of the other groups do as well
   */
  private Outcome run(World world, Group group, CollectiveTask task, Progress progress)
      throws IOException {
    long start = System.nanoTime();
    int rank = group.rank();
    int first = world.rank() - rank;
    task.run(
        () -> {
          inputs.check(group.size(), false);
          out.makeDirectory(rank);
        });
    try (RankInputs mine = task.open(() -> RankInputs.open(inputs, rank, group.size()));
        Arena arena = Arena.ofShared()) {
      List<Shape> shapes =
          task.tell(Shape.of(mine).toTell()).subList(first, first + group.size()).stream()
              .map(Shape::of)
              .toList();
      task.run(
          () -> {
            checkShape(shapes, rank);
            checkInner(shapes);
          });
      long[] rows = shapes.stream().mapToLong(Shape::rows).toArray();
      long[] widths = shapes.stream().mapToLong(Shape::columns).toArray();
      long[] columns = shapes.stream().mapToLong(Shape::n).toArray();
      long m = inputs.alongColumns() ? rows[0] : Arrays.stream(rows).sum();
      DType type = productType(mine.a().type());
      RowCounts counts = inputs.alongColumns() ? RowCounts.mine(m) : RowCounts.known(rows);
      try (Workspace space = Workspace.on(group).rows(m).columns(mine.k()).type(type).open();
          PackedWeights weights = pack(world, mine, arena);
          AllGatherMatmul operator = build(space, weights, widths)) {
        Matrix c = Matrix.allocate(outputType, m, mine.n(), arena);
        progress.at("reading A", 0, m, Progress.Unit.ROWS);
        long product;
        long writing;
        try (Step step = operator.begin(counts)) {
          write(mine.a(), step);
          product = System.nanoTime();
          progress.at("multiplying", 0, m, Progress.Unit.ROWS);
          step.run(c);
          writing = System.nanoTime();
        }
        new Output(out, columns).write(rank, c, task, progress);
        Times times = new Times(product - start, writing - product, System.nanoTime() - writing);
        long n = inputs.whole() ? mine.n() : Arrays.stream(columns).sum();
        return new Outcome(m, mine.k(), n, type, operator.explain(), times);
      }
    }
  }

  /** Integers of files have no scales: they are what they are. */
  private PackedWeights pack(World world, RankInputs mine, Arena arena) {
    DType type = mine.b().type();
    return type.isReal()
        ? world.pack(mine.b(), inputs.layout(), productType(type))
        : world.pack(
            mine.b(), Matrix.allocate(DType.F32, 1, mine.n(), arena).fill(1), inputs.layout());
  }

  private static void write(Matrix a, Step step) {
    if (a.type().isReal()) {
      step.write(a);
    } else {
      step.input().copyFrom(a);
      step.inputScales().fill(1);
    }
  }

  private AllGatherMatmul build(Workspace space, PackedWeights weights, long[] widths) {
    AllGatherMatmul.Builder builder =
        AllGatherMatmul.on(space).output(weights).outputType(outputType);
    return (inputs.alongColumns() ? builder.columnsPerRank(widths) : builder).build();
  }
}
