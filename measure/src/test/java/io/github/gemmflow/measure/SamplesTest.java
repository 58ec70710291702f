// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SamplesTest {
  /** Two rounds, the second twice as slow: what compares views is the same in both. */
  private static final Samples SAMPLES =
      new Samples(
          Map.of(
              View.GEMM, times(80),
              View.COMPUTE_ONLY, times(90),
              View.COMM_ONLY, times(100),
              View.SEQUENTIAL, times(200),
              View.PIPELINED, times(125)),
          new double[] {125, 255});

  private static double[] times(double first) {
    return new double[] {first, 2 * first};
  }

  @Test
  void figures() {
    assertEquals(1.6, SAMPLES.speedup().median(), 1e-12);
    assertEquals((100 + 90 - 125) / 90.0, SAMPLES.overlap(), 1e-12);
    assertEquals(0.75, SAMPLES.hidden(), 1e-12);
    assertEquals(0.8, SAMPLES.ofLimit(), 1e-12);
    assertEquals(1.01, SAMPLES.control().median(), 1e-12);
  }

  @Test
  void quantiles() {
    double[] values = {5, 1, 3, 2, 4};
    assertEquals(3, Samples.quantile(values, 0.5));
    assertEquals(1.4, Samples.quantile(values, 0.1), 1e-12);
    assertEquals(5, Samples.quantile(values, 1));
    assertEquals(7, Samples.quantile(new double[] {7}, 0.9));
  }
}
