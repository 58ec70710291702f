// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;

/** The product of one rank, all of whose rows are there: by the kernel, and by the operator. */
public final class LocalProduct implements AutoCloseable {
  private final Workspace space;
  private final AllGatherMatmul operator;
  private final Product product;
  private final int threads;
  private final long[] rows;
  private final Matrix c;
  private final Block aBlock = new Block();
  private final Block cBlock = new Block();

  /**
   * Prepares a product.
   *
   * @param single a group of this rank alone
   */
  public LocalProduct(World world, Group single, PackedWeights weights, InputRows input, Matrix c) {
    Matrix a = input.values();
    this.threads = world.config().threads();
    this.rows = new long[] {a.rows()};
    this.c = c;
    this.space = Workspace.on(single).rows(a.rows()).columns(a.columns()).type(a.type()).open();
    this.operator = AllGatherMatmul.on(space).output(weights).build();
    this.product =
        world.kernel().product(weights, new ProductSpec(DType.F32, Epilogue.NONE, threads));
    input.point(aBlock);
    c.block(cBlock, 0, c.rows());
    // Steps of a workspace take turns in two rooms, and rows stay where they were written.
    for (int room = 0; room < 2; room++) {
      try (Step step = operator.begin(RowCounts.known(rows))) {
        input.writeTo(step, 0, a.rows());
        step.run(c);
      }
    }
  }

  /** The kernel alone knows one thread; for more, the operator is as close as it gets. */
  public void multiplyBare() {
    if (threads == 1) {
      product.multiply(0, aBlock, cBlock, 0);
    } else {
      multiply();
    }
  }

  /** The operator. */
  public void multiply() {
    try (Step step = operator.begin(RowCounts.known(rows))) {
      step.run(c);
    }
  }

  /** The operator, which rounds reals first. */
  void multiply(Matrix reals) {
    try (Step step = operator.begin(RowCounts.known(rows))) {
      step.write(reals);
      step.run(c);
    }
  }

  @Override
  public void close() {
    product.close();
    operator.close();
    space.close();
  }
}
