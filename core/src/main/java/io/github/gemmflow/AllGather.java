// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.CopyWork;
import io.github.gemmflow.pipeline.Work;
import io.github.gemmflow.plan.Tuning;

/**
 * Gathers the rows of all ranks: every rank gives {@code m_r x K} and gets all of {@code A}, read
 * in place ({@link Step#gathered}) or copied out.
 */
public final class AllGather extends Operator {
  private AllGather(Workspace workspace, int number, long columns, Tuning tuning) {
    super(workspace, number, columns, workspace.plans(columns, tuning), true);
  }

  /** Starts to build one on a workspace. */
  public static Builder on(Workspace workspace) {
    return new Builder(workspace);
  }

  @Override
  public String toString() {
    return "AllGather of %d columns".formatted(columns());
  }

  @Override
  void checkOutputs(long rows, Matrix[] outputs) {
    if (outputs.length > 1) {
      throw new IllegalArgumentException(
          "an all-gather has one output or none, not " + outputs.length);
    }
    if (outputs.length == 1) {
      checkOutput("the output", outputs[0], rows, columns(), workspace().type());
    }
  }

  @Override
  Work work(Matrix[] outputs) {
    return outputs.length == 0 ? Work.NONE : new CopyWork(outputs[0]);
  }

  /** Sets up an {@link AllGather}. */
  public static final class Builder {
    private final Workspace workspace;
    private long columns;
    private Tuning tuning;

    private Builder(Workspace workspace) {
      this.workspace = workspace;
      this.columns = workspace.maxColumns();
      this.tuning = workspace.group().world().config().tuning();
    }

    /** The columns of A; the most that the workspace holds, unless set. */
    public Builder columns(long value) {
      columns = value;
      return this;
    }

    /** How the rows travel; the configuration's, unless set. */
    public Builder tuning(Tuning value) {
      tuning = value;
      return this;
    }

    /** Builds it. Collective: all ranks agree, or all throw. */
    public AllGather build() {
      return BuildCall.build(
          "building AllGather",
          workspace,
          columns,
          tuning,
          number -> new AllGather(workspace, number, columns, tuning));
    }
  }
}
