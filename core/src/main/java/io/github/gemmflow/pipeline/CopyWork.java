// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.Matrix;

/** Copies the rows of A, as they arrive, into a matrix of the same shape and type. */
public final class CopyWork implements Work {
  private final Matrix target;
  private final Block block = new Block();

  public CopyWork(Matrix target) {
    this.target = target;
  }

  @Override
  public long worthwhileRows() {
    return 1;
  }

  /** One: copying is bound by memory, not by threads. So one block serves too. */
  @Override
  public int tasks(long rows) {
    return 1;
  }

  @Override
  public void perform(int thread, int task, long firstRow, Block a) {
    synchronized (block) {
      target.block(block, firstRow, firstRow + a.rows()).copyFrom(a);
    }
  }
}
