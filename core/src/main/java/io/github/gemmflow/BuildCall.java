// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.plan.Overlap;
import io.github.gemmflow.plan.Tuning;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** Building of operators that gather: every rank must want the same, and be able to have it. */
final class BuildCall {
  private BuildCall() {}

  /**
   * Collective.
   *
   * @param shape the columns of A; the same on all ranks
   * @param keepsGathered whether this rank wants A in one piece
   * @param build makes the operator of a number, or throws
   */
  static <T extends Operator> T build(
      String call,
      Workspace workspace,
      Shape shape,
      boolean keepsGathered,
      Tuning tuning,
      IntFunction<T> build) {
    workspace.checkOpen();
    int number = workspace.nextOperator();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("operator", number);
    fields.put("type", workspace.type());
    fields.put("columns of A", shape.columns());
    fields.put("columns of each rank", shape.isAlongColumns() ? shape.toString() : "whole rows");
    fields.put("schedule", tuning.schedule() == null ? "by rule" : tuning.schedule().name());
    // A choice by rule depends on these, and must be the same everywhere.
    String rule = keepsGathered ? "by rule, with the gathered A kept" : "by rule";
    if (tuning.overlap() == Overlap.SEQUENTIAL) {
      rule += ", without overlap";
    }
    fields.put("storage", tuning.storage() == null ? rule : tuning.storage());
    fields.put("chunks", tuning.chunking());
    fields.put("cache", tuning.cacheBytes());
    T built =
        workspace
            .group()
            .agreement()
            .reach(
                call,
                fields,
                () -> {
                  shape.check(workspace.group().size(), workspace.maxColumns());
                  return build.apply(number);
                });
    workspace.countOperator();
    return built;
  }
}
