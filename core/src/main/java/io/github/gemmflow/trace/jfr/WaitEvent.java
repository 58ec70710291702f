// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Nothing was ready. */
@Name("io.github.gemmflow.Wait")
@Label("Wait")
@Description("A thread had nothing to do until rows or sums of others were there")
final class WaitEvent extends SpanEvent {
  @Label("Thread Number")
  @Description("Which of the threads of its rank that work on rows, from 0")
  int thread;

  @Override
  void describe(int newThread, long firstRow, long rows) {
    thread = newThread;
  }
}
