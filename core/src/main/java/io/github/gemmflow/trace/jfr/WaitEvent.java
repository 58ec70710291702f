// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Nothing was ready. */
@Name("io.github.gemmflow.Wait")
@Label("Wait")
@Description("A thread waited for rows or sums of other ranks")
final class WaitEvent extends SpanEvent {
  @Label("Thread Number")
  @Description("The number of the compute thread in its rank, from 0")
  int thread;

  @Override
  void describe(int newThread, long firstRow, long rows) {
    thread = newThread;
  }
}
