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
        "gather: each rank has rows of A, and columns of B;",
        "all-gather: the same without B;",
        "reduce-scatter: columns of A, rows of B, and gets rows of the sum of products;",
        "all-reduce: the same, but all rows of the sum (default: gather)"
      })
  private Operation operation = Operation.GATHER;

  @Option(
      names = "--wire",
      paramLabel = "TYPE",
      description = {
        "in which rows or sums travel if not as usual: of a gather I8, in blocks of 128 columns;",
        "of sums BF16 or I8 instead of F32 (results are rounded, and checked by a bound)"
      })
  private @Nullable DType wire;

  Operation value() {
    return operation;
  }

  /** In which type rows or sums travel; null if as usual. */
  @Nullable DType wire() {
    return wire;
  }
}
