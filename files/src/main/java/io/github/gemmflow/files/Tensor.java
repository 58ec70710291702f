// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A named array in a mapped file. A view: it lives as long as the file is open, and can be read by
 * any thread.
 *
 * @param shape its dimensions, outermost first
 * @param data its elements without gaps, read-only
 */
public record Tensor(String name, DType type, List<Long> shape, MemorySegment data) {
  public Tensor {
    shape = List.copyOf(shape);
  }

  /**
   * The elements as a matrix, read-only and without a copy; one dimension is one row.
   *
   * @throws IllegalArgumentException if there are no dimensions or more than two
   */
  public Matrix matrix() {
    return switch (shape.size()) {
      case 1 -> Matrix.wrap(data, type, 1, shape.get(0));
      case 2 -> Matrix.wrap(data, type, shape.get(0), shape.get(1));
      default ->
          throw new IllegalArgumentException(
              "tensor '%s' of shape %s is not a matrix: a matrix has one or two dimensions"
                  .formatted(Shown.of(name), shape));
    };
  }
}
