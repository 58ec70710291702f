// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.matrix.wire.WireRows;

/** Copy of rows, as they arrive, into a matrix with as many columns; converted if types differ. */
public final class CopyWork implements RowWork {
  /** Copying less takes less time than handing it to another thread. */
  private static final long PART_BYTES = 64 << 10;

  private final DType type;
  private final Matrix target;
  private final RowParts parts;
  private final Copier[] copiers;

  /**
   * Work for a step or an operator.
   *
   * @param type in which the rows travelled
   * @param threads how many threads work
   */
  public CopyWork(DType type, Matrix target, int threads) {
    this.type = type;
    this.target = target;
    long rowBytes = Math.max(1, RowFormat.onTheWire(type, target.columns()).bytes());
    this.parts = new RowParts(threads, Math.ceilDiv(PART_BYTES, rowBytes));
    this.copiers = new Copier[threads];
    for (int thread = 0; thread < threads; thread++) {
      copiers[thread] = type == target.type() ? new Copier() : new Converter();
    }
  }

  @Override
  public long worthwhileRows() {
    return 1;
  }

  @Override
  public int tasks(long rows) {
    return parts.count(rows);
  }

  @Override
  public void perform(int thread, int task, long firstRow, Block a) {
    long first = firstRow + parts.begin(task, a.rows());
    copiers[thread].copy(parts.part(thread, task, a), first);
  }

  /** Copier of one thread. */
  private class Copier {
    private final Block block = new Block();

    void copy(Block rows, long firstRow) {
      target.block(block, firstRow, firstRow + rows.rows());
      copy(rows, block);
    }

    void copy(Block from, Block to) {
      to.copyFrom(from);
    }
  }

  /** Copier of one thread that converts by way of F32. */
  private final class Converter extends Copier {
    /** Fits the first-level cache, and is of whole blocks of int8. */
    private static final int RUN = 2048;

    private final Floats floats = new Floats(RUN);
    private final WireRows rows = new WireRows(RUN);
    private final float[] values = new float[RUN];

    @Override
    void copy(Block from, Block to) {
      long columns = target.columns();
      for (long row = 0; row < from.rows(); row++) {
        for (long column = 0; column < columns; column += RUN) {
          int count = (int) Math.min(RUN, columns - column);
          long source = from.offset() + row * from.stride();
          long sink = to.offset() + row * to.stride() + column * target.type().bytes();
          rows.load(type, from.memory(), source, column, values, count);
          floats.store(target.type(), to.memory(), sink, values, count);
        }
      }
    }
  }
}
