// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import java.util.stream.IntStream;

/** Expected value of a product. */
@FunctionalInterface
public interface Expected {
  /**
   * Some of its rows.
   *
   * @param first the first of them
   */
  double[][] rows(long first, int count);

  /** What a file says it is. */
  static Expected of(ShardedMatrix golden) {
    return (first, count) ->
        IntStream.range(0, count)
            .parallel()
            .mapToObj(i -> widen(golden.row(first + i)))
            .toArray(double[][]::new);
  }

  private static double[] widen(float[] row) {
    double[] wide = new double[row.length];
    for (int i = 0; i < row.length; i++) {
      wide[i] = row[i];
    }
    return wide;
  }
}
