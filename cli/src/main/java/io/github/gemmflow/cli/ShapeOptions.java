// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.cli.bench.Layer;
import io.github.gemmflow.cli.bench.Operation;
import io.github.gemmflow.matrix.DType;
import picocli.CommandLine.Option;

/** The sizes of a product. */
final class ShapeOptions {
  @Option(
      names = "--gm",
      defaultValue = "4096",
      paramLabel = "M",
      description = "rows of A, over all ranks (default: 4096)")
  private long m;

  @Option(
      names = "--gk",
      defaultValue = "4096",
      paramLabel = "K",
      description = "columns of A (default: 4096)")
  private long k;

  @Option(
      names = "--gn",
      defaultValue = "4096",
      paramLabel = "N",
      description = "columns of B, in bench of each rank's (default: 4096)")
  private long n;

  @Option(
      names = "--dtype",
      defaultValue = "BF16",
      description = "of A and B: BF16, F16 or F32 (default: BF16)")
  private DType type = DType.BF16;

  /**
   * A layer of this shape.
   *
   * @throws IllegalArgumentException if there is nothing to multiply
   */
  Layer.Size of(Operation operation) {
    return new Layer.Size(operation, m, k, n, type);
  }

  long m() {
    return m;
  }

  long k() {
    return k;
  }

  long n() {
    return n;
  }

  DType type() {
    return type;
  }
}
