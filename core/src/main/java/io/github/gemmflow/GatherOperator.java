// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.gather.GatherKind;
import io.github.gemmflow.plan.Shape;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Overlap;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Operator that gathers the rows, or columns, of all ranks. A step of it is run in one call, or
 * begun to write the input in place.
 */
public abstract sealed class GatherOperator extends Operator permits AllGather, AllGatherMatmul {
  private final Shape shape;
  private final GatherKind kind;
  private final boolean keepsGathered;

  GatherOperator(
      Workspace workspace, int number, Shape shape, Tuning tuning, boolean keepsGathered) {
    super(workspace, number);
    shape.check(workspace.group().size(), workspace.maxColumns());
    this.shape = shape;
    this.kind = workspace.gathers(shape, keepsGathered, tuning);
    this.keepsGathered = keepsGathered;
  }

  /**
   * Builds an operator: every rank must want the same, and be able to have it. Collective.
   *
   * @param shape the columns of A; the same on all ranks
   * @param keepsGathered whether this rank wants A in one piece
   * @param build makes the operator of a number, or throws
   */
  static <T extends Operator> T build(
      String name,
      Workspace workspace,
      Shape shape,
      boolean keepsGathered,
      Tuning tuning,
      IntFunction<T> build) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("type", workspace.types());
    fields.put("columns of A", shape.columns());
    fields.put("columns of each rank", shape.isAlongColumns() ? shape.toString() : "whole rows");
    fields.put("schedule", tuning.schedule() == null ? "automatic" : tuning.schedule().name());
    // A choice by rule depends on these, and must be the same everywhere.
    String rule = keepsGathered ? "automatic, with the gathered A kept" : "automatic";
    if (tuning.overlap() == Overlap.SEQUENTIAL) {
      rule += ", without overlap";
    }
    fields.put("storage", tuning.storage() == null ? rule : tuning.storage());
    fields.put("chunks", tuning.chunking());
    fields.put("costs", CostText.hash(tuning.costs()));
    return workspace.build(name, fields, build);
  }

  /**
   * Begins a step of which the caller writes the input in place. Collective. With the counts of all
   * ranks it costs no message, and waits, with the deadline, only for ranks of this host that still
   * read the rows of the step before the last; with this rank's count it waits for all ranks.
   *
   * @param rows the rows that each rank of the group gives; in all at most the workspace's. Along
   *     columns they are the same rows, so the same number for each
   * @throws IllegalArgumentException if the counts are wrong; the step has not begun then
   * @throws IllegalStateException if a step of the workspace is open, or something is closed
   * @throws io.github.gemmflow.failure.GemmflowException if the ranks cannot go on together
   */
  public Step begin(RowCounts rows) {
    int ranks = workspace().group().size();
    rows.check(ranks);
    if (!rows.areKnown()) {
      long mine = rows.of(workspace().group().rank());
      checkMine(mine);
      if (shape.isAlongColumns()) {
        return begin(RowCounts.equal(ranks, mine));
      }
    }
    return new Step(this, workspace(), beginStep(kind, rows));
  }

  private void checkMine(long rows) {
    if (rows < 0 || rows > workspace().maxRows()) {
      throw new IllegalArgumentException(
          "rank %d cannot hold %d rows; the workspace holds %d in all"
              .formatted(workspace().group().rank(), rows, workspace().maxRows()));
    }
  }

  @Override
  final RowCounts rowsOf(Matrix a, Matrix[] outputs) {
    return RowCounts.mine(a.rows());
  }

  /** Before a step begins: one that does not run takes the group with it. */
  @Override
  final void check(RowCounts rows, Matrix a, Matrix[] outputs, boolean byOtherThreads) {
    int rank = workspace().group().rank();
    rows.check(workspace().group().size());
    if (a.columns() != inputColumns()) {
      throw new IllegalArgumentException(
          "the input of rank %d must have %d columns, not %d%s"
              .formatted(rank, inputColumns(), a.columns(), explainColumns(a.columns())));
    }
    checkReals(a);
    if (a.rows() != rows.of(rank)) {
      throw new IllegalArgumentException(
          "the input of rank %d must have %d rows, not %d"
              .formatted(rank, rows.of(rank), a.rows()));
    }
    if (byOtherThreads) {
      checkShared(outputs);
    }
    checkOutputs(expectedRows(rows, outputs), outputs);
  }

  /** The rows that outputs must have; if nobody knows yet, those of the first. */
  private long expectedRows(RowCounts rows, Matrix[] outputs) {
    if (shape.isAlongColumns()) {
      return rows.of(workspace().group().rank());
    }
    if (rows.areKnown()) {
      return rows.total();
    }
    return outputs.length == 0 ? 0 : outputs[0].rows();
  }

  @Override
  final void execute(RowCounts rows, Matrix a, Matrix[] outputs) {
    try (Step step = begin(rows)) {
      step.write(a);
      step.run(outputs);
    }
  }

  @Override
  final RunHandle executeInBackground(RowCounts rows, Matrix a, Matrix[] outputs) {
    Step step = begin(rows);
    try {
      step.write(a);
      return step.startAndEnd(outputs);
    } catch (RuntimeException | Error e) {
      step.close();
      throw e;
    }
  }

  /** The columns of A. */
  public final long columns() {
    return shape.columns();
  }

  /** All of A's columns, unless it is gathered along columns. */
  @Override
  public final long inputColumns() {
    return shape.columnsOf(workspace().group().rank());
  }

  @Override
  public final Explanation explain() {
    return kind.plan().explain();
  }

  final Shape shape() {
    return shape;
  }

  final boolean keepsGathered() {
    return keepsGathered;
  }

  /** What is wrong with an input of so many columns, if that is known. */
  String explainColumns(long given) {
    return "";
  }

  /** Throws if {@code outputs} do not fit a step of so many rows. */
  abstract void checkOutputs(long rows, Matrix[] outputs);

  /** What is to be done with the rows so that {@code outputs} hold the result. */
  abstract RowWork work(Matrix[] outputs);

  /** What is to be done with the rows so that a consumer sees each of them. */
  abstract RowWork work(RowConsumer consumer);

  static void checkOutput(String what, Matrix output, long rows, long columns, DType type) {
    checkWritable(what, output);
    if (output.rows() != rows || output.columns() != columns || output.type() != type) {
      throw new IllegalArgumentException(
          "%s must be %d x %d %s (all rows of the step), not %s"
              .formatted(what, rows, columns, type, output));
    }
  }
}
