// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;

/** Work of a thread on some rows. */
abstract class WorkEvent extends SpanEvent {
  @Label("Thread Number")
  @Description("Which of the threads of its rank that work on rows, from 0")
  int thread;

  @Label("First Row")
  @Description("The first row, counted over all ranks")
  long firstRow;

  @Label("Rows")
  @Description("How many rows; threads that share them each have an event")
  long rows;

  @Override
  final void describe(int newThread, long newFirstRow, long newRows) {
    thread = newThread;
    firstRow = newFirstRow;
    rows = newRows;
  }
}
