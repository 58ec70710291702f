// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.bench.Operation;
import picocli.CommandLine.Option;

/** Option for the half of a layer. */
final class OperationOption {
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

  Operation value() {
    return operation;
  }
}
