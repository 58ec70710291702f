// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.Pipeline;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumWork;
import io.github.gemmflow.plan.SumPlan;
import java.util.Arrays;

/**
 * An operator that sums over all ranks. Sums are in F32 and in a fixed order: the ranks of a host
 * in rank order, then the hosts in the order of their first ranks. So the same ranks in the same
 * places get the same bits, whatever the sizes of chunks, the threads and the order of arrival.
 *
 * <p>A step is one call: what it reads and writes are the caller's matrices, complete on return.
 */
public abstract sealed class Summing extends Operator permits ScatteredSum, WholeSum {
  private final SumKind kind;
  private final Addend addend;

  Summing(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number);
    this.kind = kind;
    this.addend = addend;
  }

  /** What was decided about how sums come together; {@link SumPlan#explain} says why. */
  public final SumPlan plan() {
    return kind.plan();
  }

  /** The columns of what this rank gives. */
  public final long inputColumns() {
    return addend.inputColumns();
  }

  /** The columns of the sum. */
  public final long columns() {
    return plan().problem().columns();
  }

  @Override
  final void free() {
    addend.close();
  }

  /** How a step begins. */
  interface Begin {
    void begin(Pipeline pipeline, SumKind kind);
  }

  /** The rows of all ranks are known. */
  static Begin knowing(Summing operator, long[] rowsPerRank) {
    return (pipeline, kind) -> pipeline.begin(kind, operator.number(), rowsPerRank);
  }

  /** Only this rank's rows are known. */
  static Begin asking(Summing operator, long myRows) {
    return (pipeline, kind) -> pipeline.begin(kind, operator.number(), myRows);
  }

  /**
   * Checks the matrices of a step of so many rows.
   *
   * @param byOtherThreads whether only other threads than the caller's work on them
   */
  final void check(Matrix a, long inputRows, Matrix c, long outputRows, boolean byOtherThreads) {
    checkMatrix("the input", a, inputRows, inputColumns(), addend.inputType());
    checkMatrix("the output", c, outputRows, columns(), addend.outputType());
    checkWritable("the output", c);
    if (byOtherThreads || workspace().threads() > 1) {
      checkShared("the input", a);
      checkShared("the output", c);
    }
  }

  /** Throws if these are not counts for the ranks of the group. */
  final void checkCounts(long[] rowsPerRank) {
    int ranks = workspace().group().size();
    if (rowsPerRank.length != ranks) {
      throw new IllegalArgumentException(
          "a step needs a row count for each of the %d ranks of the group, not %s"
              .formatted(ranks, Arrays.toString(rowsPerRank)));
    }
  }

  /** The counts of a step whose rows all ranks have. */
  final long[] sameForAll(long rows) {
    long[] counts = new long[workspace().group().size()];
    Arrays.fill(counts, rows);
    return counts;
  }

  private static void checkMatrix(String what, Matrix m, long rows, long columns, DType type) {
    if (m.rows() != rows || m.columns() != columns || m.type() != type) {
      throw new IllegalArgumentException(
          "%s must be %d x %d %s, not %s".formatted(what, rows, columns, type, m));
    }
  }

  final void execute(Begin begin, Matrix a, Matrix c) {
    beginStep(() -> begin.begin(workspace().pipeline(), kind));
    work(a, c);
  }

  final RunHandle executeInBackground(Begin begin, Matrix a, Matrix c) {
    beginStep(() -> begin.begin(workspace().pipeline(), kind));
    try {
      return RunHandle.start(
          workspace().starter(), () -> work(a, c), () -> endUnrun("its matrices were freed"), a, c);
    } catch (RuntimeException | Error e) {
      endUnrun("there is no thread to run it: " + e);
      throw e;
    }
  }

  private void endUnrun(String why) {
    stepEnded();
    workspace().pipeline().end(": " + why);
  }

  private void work(Matrix a, Matrix c) {
    Pipeline pipeline = workspace().pipeline();
    String why = "";
    try {
      long rows = pipeline.layout().totalRows();
      if (rows != a.rows()) {
        String wrong =
            "the input has %d rows, but the outputs of all ranks together have %d"
                .formatted(a.rows(), rows);
        why = ": " + wrong;
        throw new IllegalArgumentException(wrong);
      }
      SumWork work = addend.work().bind(a, c);
      pipeline.run(this, buffer -> kind.run(buffer, work));
    } finally {
      stepEnded();
      pipeline.end(why);
    }
  }
}
