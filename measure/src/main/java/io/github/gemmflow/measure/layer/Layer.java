// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.Group;
import io.github.gemmflow.Stats;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.View;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;
import java.lang.foreign.Arena;

/** One rank of a linear layer, ready to run in every view. Made and closed on all ranks. */
public abstract sealed class Layer implements AutoCloseable permits GatherLayer, SumLayer {
  static final long A_SEED = 1;

  private final Size size;

  Layer(Size size) {
    this.size = size;
  }

  /**
   * A layer.
   *
   * @param m rows of A, over all ranks of the group if they are gathered
   * @param k columns of A, over all ranks of the group if products are summed
   * @param n columns of each rank's weights
   * @param type of what is multiplied
   * @param wire in which gathered rows, or the hosts' sums, travel
   */
  public record Size(Operation operation, long m, long k, long n, DType type, DType wire) {
    /** As floats these are 256 TiB, all that addresses of 48 bits reach. */
    private static final int MOST_BITS = 46;

    /** A layer whose rows travel as they are, and whose sums as F32. */
    public Size(Operation operation, long m, long k, long n, DType type) {
      this(operation, m, k, n, type, operation.isSum() ? DType.F32 : type);
    }

    public Size {
      if (m < 1 || k < 1 || n < 1) {
        throw new IllegalArgumentException(
            "a layer of %d x %d x %d has nothing to multiply".formatted(m, k, n));
      }
      if (isTooLarge(m, k) || isTooLarge(k, n) || isTooLarge(m, n)) {
        throw new IllegalArgumentException(
            "a layer of %d x %d x %d is larger than any memory: A, B and the product can have 2^%d elements each"
                .formatted(m, k, n, MOST_BITS));
      }
    }

    private static boolean isTooLarge(long rows, long columns) {
      return (double) rows * columns > 1L << MOST_BITS;
    }

    /** What is multiplied, and in which type it travels if that is another than usual. */
    public String types() {
      boolean usual = wire == (operation.isSum() ? DType.F32 : type);
      return usual ? type.toString() : "%s, traveling as %s".formatted(type, wire);
    }

    /** Whether the results are exactly those of whole numbers. */
    public boolean isExact() {
      return operation.isSum() ? wire == DType.F32 && type.isReal() : wire == type;
    }

    @Override
    public String toString() {
      return "%s %d x %d x %d %s".formatted(operation, m, k, n, types());
    }
  }

  /**
   * Prepares a layer. Collective.
   *
   * @param group who shares the rows
   * @param single a group of this rank alone
   */
  public static Layer of(World world, Group group, Group single, Size size, Tuning tuning) {
    return switch (size.operation()) {
      case GATHER -> new GatherLayer(world, group, single, size, tuning);
      case REDUCE_SCATTER, ALL_REDUCE -> new SumLayer(world, group, single, size, tuning);
      case ALL_GATHER ->
          throw new IllegalArgumentException("an all-gather is not a layer: it has no product");
    };
  }

  /**
   * Packs this rank's weights, integers as they are.
   *
   * @param inputs their rows
   * @param firstRow the row of the matrix of the seed that they begin with
   */
  final PackedWeights pack(World world, long inputs, long seed, long firstRow, Arena arena) {
    Matrix b = Matrix.allocate(size.type(), inputs, size.n(), arena);
    Integers.fill(b, seed, firstRow, 0);
    return size.type().isReal()
        ? world.pack(b, WeightLayout.IN_OUT)
        : world.pack(
            b, Matrix.allocate(DType.F32, 1, size.n(), arena).fill(1), WeightLayout.IN_OUT);
  }

  public final Size size() {
    return size;
  }

  /** Runs the layer once. Collective. */
  public abstract void run(View view);

  /** Runs a view into a cleared result; returns whether this rank's is right. */
  public abstract boolean verify(View view);

  /** The workspace of the pipelined operator. */
  public abstract Workspace space();

  /** What the ranks of the group multiply and add in a step, in operations. */
  public abstract double flops();

  /** What has to cross the links between hosts in a step of the group. */
  public abstract long bytesToCross();

  /** What was decided about the pipelined operator. */
  public abstract Explanation explain();

  /** What this rank's host and this rank need for the rows of pipelined steps, in bytes. */
  public final long rowBytes() {
    Stats stats = space().stats();
    return stats.sharedBytes() + stats.ownBytes();
  }

  @Override
  public abstract void close();
}
