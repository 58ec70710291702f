// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntegersTest {
  private static final int M = 9;
  private static final int K = 40;
  private static final int N = 17;

  private final Matrix c = product();

  private static Matrix product() {
    Matrix c = Matrix.allocate(DType.F32, M, N, Arena.ofAuto());
    for (int row = 0; row < M; row++) {
      for (int column = 0; column < N; column++) {
        int sum = 0;
        for (int i = 0; i < K; i++) {
          sum += Integers.value(1, row, i) * Integers.value(2, i, column);
        }
        c.set(row, column, sum);
      }
    }
    return c;
  }

  @Test
  void aProductPasses() {
    assertTrue(Integers.isProduct(c, 1, 0, 2, K));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 1", "8, 16, -1", "3, 4, 0.5", "3, 4, NaN", "8, 0, Infinity"})
  void oneWrongElementDoesNot(long row, long column, float error) {
    c.set(row, column, c.get(row, column) + error);
    assertFalse(Integers.isProduct(c, 1, 0, 2, K));
  }

  @Test
  void rowsThatChangedPlacesDoNot() {
    for (int column = 0; column < N; column++) {
      float first = c.get(0, column);
      c.set(0, column, c.get(1, column));
      c.set(1, column, first);
    }
    assertFalse(Integers.isProduct(c, 1, 0, 2, K));
  }
}
