// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.plan.SumProblem;
import io.github.gemmflow.plan.Tuning;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Building of operators that sum: every rank must want the same, and get a window for it. */
final class SumCall {
  private SumCall() {}

  /** A constructor of operators. */
  @FunctionalInterface
  interface Maker<T extends Summing> {
    T make(Workspace workspace, int number, SumKind kind, Addend addend);
  }

  /**
   * Collective.
   *
   * @param name what is built
   * @param problem what this rank wants to sum; throws if that is nothing sensible
   * @param addend what this rank adds to the sum
   */
  static <T extends Summing> T build(
      String name,
      Workspace workspace,
      Supplier<SumProblem> problem,
      DType wire,
      Tuning tuning,
      Function<SumKind, Addend> addend,
      Maker<T> maker) {
    workspace.checkOpen();
    String call = "building " + name;
    int number = workspace.nextOperator();
    Agreement agreement = workspace.group().agreement();
    // What does not matter here may differ, but must not make plans differ.
    Tuning relevant = tuning.withSchedule(null).withCacheBytes(0);
    SumProblem mine = agreement.reach(call, Map.of(), () -> check(problem.get(), wire));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("operator", number + " " + name);
    fields.put("columns of the sum", mine.columns());
    fields.put("type between hosts", wire);
    fields.put("storage", tuning.storage() == null ? "by rule" : tuning.storage());
    fields.put("chunks", tuning.chunking());
    fields.put("slots", tuning.slots());
    fields.put("in flight", tuning.inFlight());
    fields.put("overlap", tuning.overlap() == null ? "by rule" : tuning.overlap());
    SumPlan plan = agreement.reach(call, fields, () -> plan(workspace, mine, relevant));
    SumKind kind = workspace.sums(plan);
    T built =
        agreement.reach(
            call, Map.of(), () -> maker.make(workspace, number, kind, addend.apply(kind)));
    workspace.countOperator();
    return built;
  }

  private static SumProblem check(SumProblem problem, DType wire) {
    if (wire == DType.F16) {
      throw new IllegalArgumentException(
          "partial sums travel as F32 or BF16, not as F16, whose range is too small for them");
    }
    return problem;
  }

  private static SumPlan plan(Workspace workspace, SumProblem problem, Tuning tuning) {
    try {
      SumPlan plan = SumPlan.of(problem, workspace.group().domains(), tuning);
      for (int domain = 0; domain < plan.domains().count(); domain++) {
        // Throws on overflow.
        SumKind.bytes(plan, domain);
      }
      return plan;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "sums of %d rows of %d columns are larger than any memory"
              .formatted(problem.maxRows(), problem.columns()),
          e);
    }
  }
}
