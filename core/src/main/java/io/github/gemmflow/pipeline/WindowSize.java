// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.pipeline.gather.GatherWindow;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Tuning;

/** Size of the window of a workspace. */
public final class WindowSize {
  private WindowSize() {}

  /** The bytes that the window of a domain needs. */
  public static long bytes(Domains domains, int domain, Capacity capacity) {
    WindowCursor cursor = new WindowCursor();
    StepWindow.skip(cursor, domains, domain);
    GatherWindow.skip(cursor, domains, domain, capacity);
    return cursor.end();
  }

  /** The bytes that a domain needs for sums of a plan, besides. */
  public static long sumBytes(SumPlan plan, int domain) {
    return SumKind.bytes(plan, domain);
  }

  /**
   * The capacity for so many rows.
   *
   * @throws IllegalArgumentException if that cannot be had in any memory
   */
  public static Capacity capacity(long rows, RowFormat format, Domains domains, Tuning tuning) {
    long columns = format.columns();
    if (rows < 0 || columns < 0) {
      throw new IllegalArgumentException(
          "a workspace cannot hold %d x %d".formatted(rows, columns));
    }
    try {
      long rowBytes = format.bytes();
      long _ = Math.multiplyExact(rows, rowBytes);
      Capacity capacity = Capacity.of(rows, rowBytes, tuning);
      for (int domain = 0; domain < domains.count(); domain++) {
        // Throws on overflow.
        bytes(domains, domain, capacity);
      }
      return capacity;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "a workspace of %d x %d elements of %d bytes is larger than any memory"
              .formatted(rows, columns, format.type().bytes()),
          e);
    }
  }
}
