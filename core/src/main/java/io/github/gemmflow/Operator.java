// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.StepPlans;
import io.github.gemmflow.pipeline.Work;
import io.github.gemmflow.plan.Plan;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Something that the ranks of a group do together, step by step. All ranks run the operators of a
 * workspace in the same order.
 *
 * <p>Not thread-safe: a step that begins while another of the workspace is open throws {@link
 * IllegalStateException}.
 */
public abstract sealed class Operator implements AutoCloseable permits AllGather, AllGatherMatmul {
  private final Workspace workspace;
  private final int number;
  private final long columns;
  private final StepPlans plans;
  private final boolean keepsGathered;
  private final AtomicLong steps = new AtomicLong();
  private volatile boolean closed;
  private volatile boolean stepOpen;

  Operator(Workspace workspace, int number, long columns, StepPlans plans, boolean keepsGathered) {
    this.workspace = workspace;
    this.number = number;
    this.columns = columns;
    this.plans = plans;
    this.keepsGathered = keepsGathered;
  }

  /**
   * Begins a step whose row counts every rank knows. Costs no message; waits, with the deadline,
   * for ranks of this host that still read the rows of the step before the last.
   *
   * @param rowsPerRank the rows that each rank of the group gives; in all at most the workspace's
   */
  public Step begin(long[] rowsPerRank) {
    checkOpen();
    workspace.pipeline().begin(plans, number, rowsPerRank);
    return newStep();
  }

  /**
   * Begins a step in which this rank knows only its own row count. Costs one small message to each
   * other host, and waits, with the deadline, for all ranks to begin it too.
   *
   * @param myRows the rows that this rank gives
   */
  public Step begin(long myRows) {
    checkOpen();
    if (myRows < 0 || myRows > workspace.maxRows()) {
      throw new IllegalArgumentException(
          "rank %d cannot give %d rows; the workspace holds %d in all"
              .formatted(workspace.group().rank(), myRows, workspace.maxRows()));
    }
    workspace.pipeline().begin(plans, number, myRows);
    return newStep();
  }

  private Step newStep() {
    stepOpen = true;
    steps.incrementAndGet();
    return new Step(this, workspace);
  }

  /**
   * One whole step: begins it, copies {@code a} into it, runs it, ends it. Collective.
   *
   * @param a this rank's rows
   * @param outputs as for {@link Step#run}
   */
  public void run(Matrix a, Matrix... outputs) {
    try (Step step = begin(a.rows())) {
      step.input().copyFrom(a);
      step.run(outputs);
    }
  }

  /** The columns of A. */
  public long columns() {
    return columns;
  }

  /** What was decided about how rows travel. */
  public Plan plan() {
    return plans.plan();
  }

  /** How many steps were begun. */
  public long steps() {
    return steps.get();
  }

  Workspace workspace() {
    return workspace;
  }

  boolean keepsGathered() {
    return keepsGathered;
  }

  /** What is to be done with the rows so that {@code outputs} hold the result. */
  abstract Work work(long rows, Matrix[] outputs);

  /** Frees what the operator holds; called once. */
  void free() {}

  void stepEnded() {
    stepOpen = false;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the operator is closed");
    }
    workspace.checkOpen();
  }

  /** Lets go of weights. Local, not collective. */
  @Override
  public void close() {
    if (stepOpen) {
      throw new IllegalStateException("a step of this operator is still open: end it first");
    }
    if (!closed) {
      closed = true;
      free();
    }
  }

  static void checkShape(String what, Matrix matrix, long rows, long columns) {
    if (matrix.rows() != rows || matrix.columns() != columns) {
      throw new IllegalArgumentException(
          "%s must be %d x %d, not %s".formatted(what, rows, columns, matrix));
    }
  }
}
