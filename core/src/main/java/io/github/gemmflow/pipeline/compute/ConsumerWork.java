// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;

/** Work of a {@link RowConsumer} on rows, as they arrive. */
public final class ConsumerWork implements RowWork {
  private final RowConsumer consumer;
  private final DType type;
  private final RowParts parts;

  /**
   * Work for a step.
   *
   * @param type of the rows
   * @param threads how many threads work
   */
  public ConsumerWork(RowConsumer consumer, DType type, int threads) {
    this.consumer = consumer;
    this.type = type;
    this.parts = new RowParts(threads, 1);
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
    Block part = parts.part(thread, task, a);
    long first = firstRow + parts.begin(task, a.rows());
    Call call = new Call();
    long columns = part.rowBytes() / type.bytes();
    Matrix rows =
        Matrix.wrap(part.span(), type, part.rows(), columns, part.stride() / type.bytes());
    try {
      consumer.accept(first, first + part.rows(), rows.asReadOnly().under(call::check), thread);
    } finally {
      call.over = true;
    }
  }

  /** Lifetime of the rows of one call. */
  private static final class Call {
    private volatile boolean over;

    void check() {
      if (over) {
        throw new IllegalStateException(
            "these rows are valid only during one call of the consumer: their memory has been reused");
      }
    }
  }
}
