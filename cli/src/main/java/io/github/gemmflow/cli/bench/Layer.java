// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import io.github.gemmflow.Group;
import io.github.gemmflow.Stats;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;

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
   */
  public record Size(Operation operation, long m, long k, long n, DType type) {
    public Size {
      if (m < 1 || k < 1 || n < 1) {
        throw new IllegalArgumentException(
            "a layer of %d x %d x %d has nothing to multiply".formatted(m, k, n));
      }
    }

    @Override
    public String toString() {
      return "%s %d x %d x %d %s".formatted(operation, m, k, n, type);
    }
  }

  /**
   * Prepares a layer. Collective.
   *
   * @param group who shares the rows
   * @param single a group of this rank alone
   */
  public static Layer of(World world, Group group, Group single, Size size, Tuning tuning) {
    if (!size.type().isReal() && size.operation().isSum()) {
      throw new IllegalArgumentException(
          "sums of products in I8 are not timed: take --dtype BF16 or F32");
    }
    return switch (size.operation()) {
      case GATHER -> new GatherLayer(world, group, single, size, tuning);
      case REDUCE_SCATTER, ALL_REDUCE -> new SumLayer(world, group, single, size, tuning);
      case ALL_GATHER ->
          throw new IllegalArgumentException("an all-gather alone is no layer: it has no product");
    };
  }

  public final Size size() {
    return size;
  }

  /** Runs the layer once. Collective. */
  public abstract void run(View view);

  /** Runs a view into a cleared result; returns whether this rank's is exactly right. */
  public abstract boolean verify(View view);

  /** The workspace of the pipelined operator. */
  abstract Workspace space();

  /** What the ranks of the group multiply and add in a step, in operations. */
  abstract double flops();

  /** What has to cross the links between hosts in a step of the group. */
  abstract long bytesToCross();

  /** What was decided about the pipelined operator. */
  abstract Explanation explain();

  /** What this rank's host and this rank need for the rows of pipelined steps, in bytes. */
  public final long rowBytes() {
    Stats stats = space().stats();
    return stats.sharedBytes() + stats.ownBytes();
  }

  @Override
  public abstract void close();
}
