// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Arrival of rows from another host. */
@Name("io.github.gemmflow.Arrival")
@Label("Arrival")
@Description("Rows, or sums of rows, arrived from another host")
final class ArrivalEvent extends SpanEvent {
  @Label("First Row")
  @Description("The first row, counted over all ranks")
  long firstRow;

  @Label("Rows")
  @Description("Number of rows")
  long rows;

  @Override
  void describe(int thread, long newFirstRow, long newRows) {
    firstRow = newFirstRow;
    rows = newRows;
  }
}
