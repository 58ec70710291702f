// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.matrix.Block;

/**
 * Cut of runs into parts of rows, for work that costs about the same for every row. There are more
 * parts than threads, since a thread may come late or have a slow core.
 */
final class RowParts {
  private static final int PARTS_PER_THREAD = 4;

  private final int most;
  private final long leastRows;
  private final Block[] blocks;

  /**
   * For some threads.
   *
   * @param leastRows what a part has at least, unless the run has fewer
   */
  RowParts(int threads, long leastRows) {
    this.leastRows = leastRows;
    this.most = threads == 1 ? 1 : PARTS_PER_THREAD * threads;
    this.blocks = new Block[threads];
    for (int thread = 0; thread < threads; thread++) {
      blocks[thread] = new Block();
    }
  }

  /** Into how many parts a run is cut. */
  int count(long rows) {
    return Math.clamp(rows / leastRows, 1, most);
  }

  /** Where a part begins, counted from the first row of the run. */
  long begin(int part, long rows) {
    return rows * part / count(rows);
  }

  /** The block of a thread, pointing at a part of a run. */
  Block part(int thread, int part, Block run) {
    long from = begin(part, run.rows());
    long to = begin(part + 1, run.rows());
    return blocks[thread].at(
        run.memory(), run.offset() + from * run.stride(), to - from, run.rowBytes(), run.stride());
  }
}
