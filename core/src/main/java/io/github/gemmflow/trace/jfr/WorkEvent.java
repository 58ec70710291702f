// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;

/** Work of a thread on some rows. */
abstract class WorkEvent extends SpanEvent {
  @Label("Thread Number")
  @Description("The number of the compute thread in its rank, from 0")
  int thread;

  @Label("First Row")
  @Description("The first row, counted over all ranks")
  long firstRow;

  @Label("Rows")
  @Description("Number of rows; each thread that shares them has its own event")
  long rows;

  @Override
  final void describe(int newThread, long newFirstRow, long newRows) {
    thread = newThread;
    firstRow = newFirstRow;
    rows = newRows;
  }
}
