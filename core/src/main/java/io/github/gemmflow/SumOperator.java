// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.pipeline.sum.Addend;
import io.github.gemmflow.pipeline.sum.PlannedSum;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.pipeline.sum.SumWork;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.tuning.Explanation;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Operator that sums over all ranks. Sums are in F32 and in a fixed order: the ranks of a host in
 * rank order, then the hosts in the order of their first ranks. So the same ranks in the same
 * places get the same bits, whatever the sizes of chunks, the threads and the order of arrival.
 *
 * <p>A step is one call: what it reads and writes are the caller's matrices, complete on return.
 */
public abstract sealed class SumOperator extends Operator
    permits AllReduce, MatmulAllReduce, MatmulReduceScatter, ReduceScatter {
  private final SumKind kind;
  private final Addend addend;

  SumOperator(Workspace workspace, int number, SumKind kind, Addend addend) {
    super(workspace, number);
    this.kind = kind;
    this.addend = addend;
  }

  /** A constructor of operators. */
  @FunctionalInterface
  interface Maker<T extends SumOperator> {
    T make(Workspace workspace, int number, SumKind kind, Addend addend);
  }

  /**
   * Builds an operator: every rank must want the same, and gets a window for it. Collective.
   *
   * @param name what is built
   * @param problem what this rank wants to sum; throws if that is nothing sensible
   * @param addend what this rank adds to the sum
   */
  static <T extends SumOperator> T build(
      String name,
      Workspace workspace,
      Supplier<SumProblem> problem,
      DType wire,
      Tuning tuning,
      Function<SumKind, Addend> addend,
      Maker<T> maker) {
    workspace.checkOpen();
    SumProblem mine = workspace.agree(name, Map.of(), problem);
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("columns of the sum", mine.columns());
    fields.put("type between hosts", wire);
    fields.put("storage", tuning.storage() == null ? "automatic" : tuning.storage());
    fields.put("chunks", tuning.chunking());
    fields.put("slots", tuning.slots());
    fields.put("in flight", tuning.inFlight() == 0 ? "automatic" : tuning.inFlight());
    fields.put("overlap", tuning.overlap() == null ? "automatic" : tuning.overlap());
    fields.put("path", tuning.sums() == null ? "automatic" : tuning.sums());
    fields.put("costs", CostText.hash(tuning.costs()));
    // What does not matter here may differ, but must not make plans differ.
    Tuning relevant = tuning.withSchedule(null);
    SumPlan plan = workspace.agree(name, fields, () -> plan(workspace, mine, relevant));
    SumKind kind = workspace.sums(plan);
    return workspace.build(
        name, Map.of(), number -> maker.make(workspace, number, kind, addend.apply(kind)));
  }

  /**
   * The problem of a sum.
   *
   * @param wire the type of partial sums between hosts
   * @throws IllegalArgumentException if there is no such sum
   */
  static SumProblem problem(long columns, DType wire, boolean scattered, long maxRows) {
    try {
      long bytes = RowFormat.ofPartialSums(wire, columns).bytes();
      return new SumProblem(columns, bytes, scattered, maxRows);
    } catch (ArithmeticException e) {
      throw tooLarge(columns, maxRows, e);
    }
  }

  private static SumPlan plan(Workspace workspace, SumProblem problem, Tuning tuning) {
    try {
      SumPlan plan = SumPlan.of(problem, workspace.group().hosts(), tuning);
      for (int host = 0; host < plan.hosts().count(); host++) {
        // Throws on overflow.
        SumKind.bytes(plan, host);
      }
      return plan;
    } catch (ArithmeticException e) {
      throw tooLarge(problem.columns(), problem.maxRows(), e);
    }
  }

  private static IllegalArgumentException tooLarge(long columns, long rows, Throwable e) {
    return new IllegalArgumentException(
        "sums of %d rows of %d columns are larger than any memory".formatted(rows, columns), e);
  }

  @Override
  public final Explanation explain() {
    return kind.plan().explain();
  }

  @Override
  public final long inputColumns() {
    return addend.inputColumns();
  }

  /** The columns of the sum. */
  public final long columns() {
    return kind.plan().problem().columns();
  }

  /** Whether each rank gets its own rows; if not, each gets all of them. */
  private boolean isScattered() {
    return kind.plan().problem().scattered();
  }

  @Override
  final void free() {
    addend.close();
  }

  @Override
  final RowCounts rowsOf(Matrix a, Matrix[] outputs) {
    if (!isScattered()) {
      return RowCounts.equal(workspace().group().size(), a.rows());
    }
    return RowCounts.mine(only(outputs).rows());
  }

  private Matrix only(Matrix[] outputs) {
    if (outputs.length != 1) {
      throw new IllegalArgumentException(
          "%s has one output, not %d".formatted(this, outputs.length));
    }
    return outputs[0];
  }

  @Override
  final void check(RowCounts rows, Matrix a, Matrix[] outputs, boolean byOtherThreads) {
    rows.check(workspace().group().size());
    Matrix c = only(outputs);
    long outputRows = rows.of(workspace().group().rank());
    long inputRows = outputRows;
    if (!isScattered()) {
      checkEqual(rows);
    } else {
      inputRows = rows.areKnown() ? rows.total() : a.rows();
    }
    if (a.columns() != inputColumns()) {
      throw new IllegalArgumentException(
          "the input must have %d columns, not %d%s"
              .formatted(inputColumns(), a.columns(), addend.explainInputs().apply(a.columns())));
    }
    checkMatrix("the input", a, inputRows, inputColumns(), addend.inputType());
    checkMatrix("the output", c, outputRows, columns(), addend.outputType());
    checkWritable("the output", c);
    if (byOtherThreads) {
      checkShared("the input", a);
      checkShared("the output", c);
    }
  }

  private void checkEqual(RowCounts rows) {
    if (rows.areKnown() && !rows.areEqual()) {
      throw new IllegalArgumentException(
          "every rank gets all rows of %s, so the counts must be equal, not %s"
              .formatted(this, rows));
    }
  }

  private static void checkMatrix(String what, Matrix m, long rows, long columns, DType type) {
    if (m.rows() != rows || m.columns() != columns || m.type() != type) {
      throw new IllegalArgumentException(
          "%s must be %d x %d %s, not %s".formatted(what, rows, columns, type, m));
    }
  }

  @Override
  final void execute(RowCounts rows, Matrix a, Matrix[] outputs) {
    work(begin(rows), a, outputs[0]);
  }

  @Override
  final RunHandle executeInBackground(RowCounts rows, Matrix a, Matrix[] outputs) {
    Matrix c = outputs[0];
    PlannedSum step = begin(rows);
    try {
      return RunHandle.start(
          workspace().starter(),
          workspace().pipeline().waitCheck(),
          null,
          () -> work(step, a, c),
          () -> endUnrun("its matrices were freed"),
          a,
          c);
    } catch (RuntimeException | Error e) {
      endUnrun("no thread is available to run it: " + e);
      throw e;
    }
  }

  private PlannedSum begin(RowCounts rows) {
    boolean alike = !rows.areKnown() && !isScattered();
    int ranks = workspace().group().size();
    return beginStep(kind, alike ? RowCounts.equal(ranks, rows.all()[0]) : rows);
  }

  private void endUnrun(String why) {
    end(": " + why);
  }

  private void work(PlannedSum step, Matrix a, Matrix c) {
    String why = "";
    try {
      long rows = step.layout().totalRows();
      if (rows != a.rows()) {
        String wrong =
            "the input has %d rows, but the outputs of all ranks together have %d"
                .formatted(a.rows(), rows);
        why = ": " + wrong;
        throw new IllegalArgumentException(wrong);
      }
      SumWork work = addend.work().bind(a, c);
      workspace().pipeline().run(this, () -> step.run(work));
    } finally {
      end(why);
    }
  }

  private void end(String why) {
    try {
      workspace().pipeline().end(why);
    } finally {
      stepEnded();
    }
  }
}
