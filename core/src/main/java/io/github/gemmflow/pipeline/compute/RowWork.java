// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;

/** Work of the compute threads on rows of A that have arrived. */
public interface RowWork {
  /** Work that needs no rows: the caller only wants them to be there. */
  RowWork NONE =
      new RowWork() {
        @Override
        public long worthwhileRows() {
          return 1;
        }

        @Override
        public int tasks(long rows) {
          return 0;
        }

        @Override
        public void perform(int thread, int task, long firstRow, Block a) {}
      };

  /** A run of fewer rows is left alone while it may still grow. */
  long worthwhileRows();

  /**
   * What it costs to work on some rows in a run of their own instead of a longer one, in
   * nanoseconds; 0 if that is not known.
   */
  default long runNanos() {
    return 0;
  }

  /** Learns from a run of so many rows how long one takes, in nanoseconds. */
  default void learn(long rows, long nanos) {}

  /** Into how many tasks, which several threads may do at the same time, a run of rows is cut. */
  int tasks(long rows);

  /**
   * Does one task of a run.
   *
   * @param thread who does it; no two at a time the same
   * @param firstRow the row of A that the run starts with
   * @param a the run; valid only during the call
   */
  void perform(int thread, int task, long firstRow, Block a);

  /** All tasks of a run were done: the rows from {@code firstRow} to before {@code endRow}. */
  default void done(long firstRow, long endRow) {}
}
