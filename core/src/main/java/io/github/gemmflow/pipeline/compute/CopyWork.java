// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;

/** Copy of rows, as they arrive, into a matrix with as many columns; converted if types differ. */
public final class CopyWork implements RowWork {
  /** Fits the first-level cache. */
  private static final int RUN = 2048;

  private final DType type;
  private final Matrix target;
  private final Block block = new Block();
  private final Floats floats = new Floats(RUN);
  private final float[] values = new float[RUN];

  /**
   * Work for a step or an operator.
   *
   * @param type of the rows
   */
  public CopyWork(DType type, Matrix target) {
    this.type = type;
    this.target = target;
  }

  @Override
  public long worthwhileRows() {
    return 1;
  }

  /** One: copying is bound by memory, not by threads. So one buffer serves too. */
  @Override
  public int tasks(long rows) {
    return 1;
  }

  @Override
  public synchronized void perform(int thread, int task, long firstRow, Block a) {
    target.block(block, firstRow, firstRow + a.rows());
    if (type == target.type()) {
      block.copyFrom(a);
      return;
    }
    long columns = a.rowBytes() / type.bytes();
    for (long row = 0; row < a.rows(); row++) {
      for (long column = 0; column < columns; column += RUN) {
        int count = (int) Math.min(RUN, columns - column);
        long from = a.offset() + row * a.stride() + column * type.bytes();
        long to = block.offset() + row * block.stride() + column * target.type().bytes();
        floats.load(type, a.memory(), from, values, count);
        floats.store(target.type(), block.memory(), to, values, count);
      }
    }
  }
}
