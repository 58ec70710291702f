// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import static java.util.stream.Collectors.joining;

import io.github.gemmflow.cli.job.CommandException;
import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The sizes of a product; where several are wanted, lists of them. */
final class ShapeOptions {
  @Option(
      names = "--gm",
      split = ",",
      defaultValue = "4096",
      paramLabel = "M",
      description = "rows of A over all ranks (default: 4096)")
  private List<Long> m = List.of();

  @Option(
      names = "--gk",
      split = ",",
      defaultValue = "4096",
      paramLabel = "K",
      description = "columns of A (default: 4096)")
  private List<Long> k = List.of();

  @Option(
      names = "--gn",
      split = ",",
      defaultValue = "4096",
      paramLabel = "N",
      description = "columns of B; in bench those of each rank (default: 4096)")
  private List<Long> n = List.of();

  @Option(
      names = "--dtype",
      defaultValue = "BF16",
      description = "type of A and B: BF16, F16, F32 or I8 (default: BF16)")
  private DType type = DType.BF16;

  /**
   * A layer of the one shape.
   *
   * @throws IllegalArgumentException if there is nothing to multiply
   */
  Layer.Size of(Operation operation, @Nullable DType wire) {
    return size(operation, m(), k(), n(), wire);
  }

  private Layer.Size size(
      Operation operation, long rows, long inner, long columns, @Nullable DType wire) {
    return wire == null
        ? new Layer.Size(operation, rows, inner, columns, type)
        : new Layer.Size(operation, rows, inner, columns, type, wire);
  }

  /**
   * Layers of all shapes: each M with each K and N.
   *
   * @throws IllegalArgumentException if there is nothing to multiply
   */
  List<Layer.Size> all(Operation operation, @Nullable DType wire) {
    List<Layer.Size> sizes = new ArrayList<>();
    for (long rows : m) {
      for (long inner : k) {
        for (long columns : n) {
          sizes.add(size(operation, rows, inner, columns, wire));
        }
      }
    }
    return sizes;
  }

  long m() {
    return only("--gm", m);
  }

  long k() {
    return only("--gk", k);
  }

  long n() {
    return only("--gn", n);
  }

  private static long only(String option, List<Long> values) {
    if (values.size() != 1) {
      throw new CommandException(
          ExitCode.INPUT,
          "%s %s: this command takes one number; only bench accepts a list"
              .formatted(option, values.stream().map(String::valueOf).collect(joining(","))));
    }
    return values.getFirst();
  }

  DType type() {
    return type;
  }
}
