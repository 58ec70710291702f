// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.math;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VectorsTest {
  @Test
  void exponentialsAreRightToSevenDigits() {
    for (double x = 0; x > -80; x -= 0.0371) {
      assertEquals(1, Vectors.exp(x) / Math.exp(x), 1e-7, "exp(" + x + ")");
    }
    assertEquals(0, Vectors.exp(Double.NEGATIVE_INFINITY), 1e-34);
  }

  @Test
  void likelihoodsAddUpToOne() {
    float[] scores = {9, 1, 2, (float) (1 + Math.log(3)), 9};
    Vectors.softmax(scores, 1, 4);
    double sum = 1 + Math.E + 3;
    float[] expected = {9, (float) (1 / sum), (float) (Math.E / sum), (float) (3 / sum), 9};
    assertArrayEquals(expected, scores, 1e-7f);
  }

  /** Six rows: four, then two; what is beside them stays. */
  @Test
  void rowsAreAddedByTheirFactors() {
    float[][] matrix = new float[6][3];
    for (int i = 0; i < 6 * 3; i++) {
      matrix[i / 3][i % 3] = i;
    }
    float[] factors = {1, 10, 100, 1000, 10_000, 100_000};
    float[] sum = {7, 0, 0};
    Vectors.addFour(factors, 2, 0, 6, matrix, sum, 1, 3);
    Vectors.addFour(factors, 2, 4, 6, matrix, sum, 1, 3);
    float second = 0;
    float third = 0;
    for (int row = 0; row < 6; row++) {
      second += 2 * factors[row] * matrix[row][1];
      third += 2 * factors[row] * matrix[row][2];
    }
    assertArrayEquals(new float[] {7, second, third}, sum);
  }
}
