// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.gather.GatherKind;
import io.github.gemmflow.plan.GatherPlan;
import io.github.gemmflow.plan.Tuning;
import java.util.Arrays;

/** An operator that gathers the rows, or columns, of all ranks. */
public abstract sealed class Gathering extends Operator permits AllGather, AllGatherMatmul {
  private final Shape shape;
  private final GatherKind kind;
  private final boolean keepsGathered;

  Gathering(Workspace workspace, int number, Shape shape, Tuning tuning, boolean keepsGathered) {
    super(workspace, number);
    this.shape = shape;
    this.kind = workspace.gathers(shape, keepsGathered, tuning);
    this.keepsGathered = keepsGathered;
  }

  /**
   * Begins a step whose row counts this rank knows. Collective. Costs no message; waits, with the
   * deadline, for ranks of this host that still read the rows of the step before the last. Other
   * ranks may begin the same step with {@link #begin(long)}.
   *
   * @param rowsPerRank the rows that each rank of the group gives; in all at most the workspace's.
   *     Along columns they are the same rows, so the same number for each
   * @throws IllegalArgumentException if the counts are wrong; the step has not begun then
   * @throws IllegalStateException if a step of the workspace is open, or something is closed
   * @throws io.github.gemmflow.failure.GemmflowException if the ranks cannot go on together
   */
  public Step begin(long[] rowsPerRank) {
    return begin(() -> workspace().pipeline().begin(kind, number(), rowsPerRank));
  }

  /**
   * Begins a step in which this rank knows only its own row count. Collective. Costs one small
   * message to each other host, and waits, with the deadline, for all ranks to begin it too. If A
   * is gathered along columns, every rank has the same count, and this is the same as giving it for
   * each of them.
   *
   * @param myRows the rows that this rank gives
   * @throws IllegalArgumentException if it is wrong, or, on all ranks that called this, if the
   *     counts are too many in all; the step has not begun then
   * @throws IllegalStateException if a step of the workspace is open, or something is closed
   * @throws io.github.gemmflow.failure.GemmflowException if the ranks cannot go on together
   */
  public Step begin(long myRows) {
    if (myRows < 0 || myRows > workspace().maxRows()) {
      throw new IllegalArgumentException(
          "rank %d cannot hold %d rows; the workspace holds %d in all"
              .formatted(workspace().group().rank(), myRows, workspace().maxRows()));
    }
    if (shape.isAlongColumns()) {
      long[] rowsPerRank = new long[workspace().group().size()];
      Arrays.fill(rowsPerRank, myRows);
      return begin(rowsPerRank);
    }
    return begin(() -> workspace().pipeline().begin(kind, number(), myRows));
  }

  private Step begin(Runnable pipelineBegin) {
    beginStep(pipelineBegin);
    return new Step(this, workspace());
  }

  /**
   * One whole step: begins it, copies {@code a} into it, runs it, ends it. Collective.
   *
   * @param a this rank's rows; converted if their type is not the workspace's
   * @param outputs as for {@link Step#run}
   */
  public void run(Matrix a, Matrix... outputs) {
    if (a.columns() != inputColumns()) {
      throw new IllegalArgumentException(
          "what rank %d gives must have %d columns, not %d"
              .formatted(workspace().group().rank(), inputColumns(), a.columns()));
    }
    for (int i = 0; i < outputs.length; i++) {
      // Before the step begins: a step that does not run takes the group with it.
      checkWritable("output " + i, outputs[i]);
    }
    try (Step step = begin(a.rows())) {
      step.input().copyFrom(a);
      step.run(outputs);
    }
  }

  /** The columns of A. */
  public long columns() {
    return shape.columns();
  }

  /** The columns of what this rank gives: all of A's, unless it is gathered along columns. */
  public long inputColumns() {
    return shape.columnsOf(workspace().group().rank());
  }

  Shape shape() {
    return shape;
  }

  GatherKind kind() {
    return kind;
  }

  /** What was decided about how rows travel; {@link GatherPlan#explain} says why. */
  public GatherPlan plan() {
    return kind.plan();
  }

  boolean keepsGathered() {
    return keepsGathered;
  }

  /** Throws if {@code outputs} do not fit a step of so many rows. */
  abstract void checkOutputs(long rows, Matrix[] outputs);

  /** What is to be done with the rows so that {@code outputs} hold the result. */
  abstract RowWork work(Matrix[] outputs);

  static void checkOutput(String what, Matrix output, long rows, long columns, DType type) {
    checkWritable(what, output);
    if (output.rows() != rows || output.columns() != columns || output.type() != type) {
      throw new IllegalArgumentException(
          "%s must be %d x %d %s (all rows of the step), not %s"
              .formatted(what, rows, columns, type, output));
    }
  }
}
