// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.plan.Tuning;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** What all operators do to be built: every rank must want the same, and be able to have it. */
final class BuildCall {
  private BuildCall() {}

  /**
   * Collective.
   *
   * @param columns the columns of A
   * @param build makes the operator of a number, or throws
   */
  static <T extends Operator> T build(
      String call, Workspace workspace, long columns, Tuning tuning, IntFunction<T> build) {
    workspace.checkOpen();
    int number = workspace.nextOperator();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", Version.TEXT);
    fields.put("operator", number);
    fields.put("type", workspace.type());
    fields.put("columns of A", columns);
    fields.put("schedule", tuning.schedule().name());
    fields.put("chunks", tuning.chunking());
    return workspace
        .group()
        .agreement()
        .reach(
            call,
            fields,
            () -> {
              if (columns < 0 || columns > workspace.maxColumns()) {
                throw new IllegalArgumentException(
                    "A cannot have %d columns; the workspace was opened for up to %d"
                        .formatted(columns, workspace.maxColumns()));
              }
              return build.apply(number);
            });
  }
}
