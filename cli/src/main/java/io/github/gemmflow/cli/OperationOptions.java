// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Operation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the half of a layer, and how its rows or sums travel. */
final class OperationOptions {
  @Option(
      names = "--operation",
      defaultValue = "gather",
      description = {
        "operation: gather (each rank provides rows of A, and multiplies all rows by its columns of B),",
        "all-gather (the same without a product), reduce-scatter (each rank provides columns of A and rows of B,",
        "and receives its rows of the sum), or all-reduce (the same with all rows of the sum) (default: gather)"
      })
  private Operation operation = Operation.GATHER;

  @Option(
      names = "--wire",
      paramLabel = "TYPE",
      description = {
        "type between hosts: I8 for the rows of a gather, in blocks of 128 columns; BF16 or I8 for sums, which",
        "otherwise travel as F32 (results are rounded, and checked by a bound)"
      })
  private @Nullable DType wire;

  Operation value() {
    return operation;
  }

  /** The type in which rows or sums travel; null for the usual one. */
  @Nullable DType wire() {
    return wire;
  }
}
