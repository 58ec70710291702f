// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.pipeline.gather.GatherWindow;
import io.github.gemmflow.pipeline.step.StepWindow;
import io.github.gemmflow.pipeline.step.WindowCursor;
import io.github.gemmflow.pipeline.sum.SumKind;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.SumPlan;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;

/** Size of the window of a workspace. */
public final class WindowSize {
  private WindowSize() {}

  /** The bytes that the window of a host needs. */
  public static long bytes(Hosts hosts, int host, Capacity capacity) {
    WindowCursor cursor = new WindowCursor();
    StepWindow.skip(cursor, hosts, host);
    GatherWindow.skip(cursor, hosts, host, capacity);
    return cursor.end();
  }

  /** The bytes that a host needs for sums of a plan, besides. */
  public static long sumBytes(SumPlan plan, int host) {
    return SumKind.bytes(plan, host);
  }

  /**
   * The capacity for so many rows.
   *
   * @throws IllegalArgumentException if that cannot be had in any memory
   */
  public static Capacity capacity(long rows, RowFormat format, Hosts hosts, Tuning tuning) {
    long columns = format.columns();
    if (rows < 0 || columns < 0) {
      throw new IllegalArgumentException(
          "a workspace cannot hold %d x %d".formatted(rows, columns));
    }
    try {
      long rowBytes = format.bytes();
      long _ = Math.multiplyExact(rows, rowBytes);
      Capacity capacity = Capacity.of(rows, rowBytes, tuning);
      for (int host = 0; host < hosts.count(); host++) {
        // Throws on overflow.
        bytes(hosts, host, capacity);
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
