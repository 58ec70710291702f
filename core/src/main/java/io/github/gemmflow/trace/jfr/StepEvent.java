// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A step, from when it runs until its results are complete or it has failed. */
@Name("io.github.gemmflow.Step")
@Label("Step")
@Description("A step ran: from the call of run, or the start in the background, to its end")
public final class StepEvent extends GemmflowEvent {
  @Label("Operator")
  @Description("The operator that ran")
  String operator = "";

  @Label("Operator Number")
  @Description("The number of the operator in its workspace, the same on all ranks")
  long operatorNumber;

  @Label("Rows")
  @Description("The rows of the step over all ranks")
  long rows;

  /** The step is over. */
  public void finish(int rank, long step, String operator, long operatorNumber, long rows) {
    this.rank = rank;
    this.step = step;
    this.operator = operator;
    this.operatorNumber = operatorNumber;
    this.rows = rows;
    commit();
  }
}
