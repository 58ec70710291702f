// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ReferenceKernel;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every element is looked at: of more rows and columns than are checked at a time. */
class RoundedProductTest {
  private static final int M = 520;
  private static final int N = 1030;
  private static final int K = 12;
  private static final int FIRST_ROW = 7;

  /** Two hosts, whose columns of A alternate. */
  private static final int[] HOST_OF = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};

  private final Matrix c = Matrix.allocate(DType.F32, M, N, Arena.ofAuto());

  private RoundedProductTest() {
    for (int row = 0; row < M; row++) {
      for (int column = 0; column < N; column++) {
        c.set(row, column, sum(row, column, 0) + sum(row, column, 1));
      }
    }
  }

  private static int sum(int row, int column, int host) {
    int sum = 0;
    for (int k = host; k < K; k += 2) {
      sum += Integers.value(1, FIRST_ROW + row, k) * Integers.value(2, k, column);
    }
    return sum;
  }

  private boolean isNear(boolean rows, DType sums) {
    return new RoundedProduct(new ReferenceKernel(), 1, 2, HOST_OF, rows, sums)
        .isNear(c, FIRST_ROW);
  }

  @Test
  void theProductIsNear() {
    for (DType sums : new DType[] {DType.F32, DType.BF16, DType.I8}) {
      assertEquals(true, isNear(false, sums), sums::toString);
      assertEquals(true, isNear(true, sums), sums::toString);
    }
  }

  /** In the first and the last block, in the middle, and at the edges between blocks. */
  @ParameterizedTest
  @CsvSource({"0, 0", "519, 1029", "511, 1023", "512, 1024", "100, 500"})
  void oneWrongElementIsFound(int row, int column) {
    float right = c.get(row, column);
    for (float wrong : new float[] {Float.NaN, Float.POSITIVE_INFINITY, right + 100, right - 100}) {
      c.set(row, column, wrong);
      assertEquals(false, isNear(true, DType.I8), () -> "found " + wrong);
    }
  }

  /** What int8 takes of the largest sum of its block of columns, for each host. */
  @Test
  void theBoundIsThatOfTheBlock() {
    int row = 200;
    int column = 1000;
    double bound = 0;
    for (int host = 0; host < 2; host++) {
      int largest = 0;
      for (int other = 896; other < 1024; other++) {
        largest = Math.max(largest, Math.abs(sum(row, other, host)));
      }
      bound += largest / 253.0;
    }
    float right = c.get(row, column);
    c.set(row, column, (float) (right + 0.99 * bound));
    assertEquals(true, isNear(false, DType.I8));
    c.set(row, column, (float) (right + 1.01 * bound));
    assertEquals(false, isNear(false, DType.I8));
    assertEquals(true, isNear(true, DType.I8), "rows were rounded, too");
  }

  @Test
  void theBoundOfBf16IsAPartOfTheSums() {
    int row = 3;
    int column = 4;
    double bound = (Math.abs(sum(row, column, 0)) + Math.abs(sum(row, column, 1))) / 256.0;
    float right = c.get(row, column);
    c.set(row, column, (float) (right + 0.99 * bound));
    assertEquals(true, isNear(false, DType.BF16));
    c.set(row, column, (float) (right + 1.1 * bound));
    assertEquals(false, isNear(false, DType.BF16));
  }

  /** A kernel that computes nothing, and a result of nothing. */
  @Test
  void theReferenceIsCheckedItself() {
    Product nothing =
        (Product)
            Proxy.newProxyInstance(
                Product.class.getClassLoader(), new Class<?>[] {Product.class}, (p, m, a) -> null);
    Kernel reference = new ReferenceKernel();
    Kernel broken =
        (Kernel)
            Proxy.newProxyInstance(
                Kernel.class.getClassLoader(),
                new Class<?>[] {Kernel.class},
                (proxy, method, arguments) ->
                    method.getName().equals("product")
                        ? nothing
                        : method.invoke(reference, arguments));
    c.fill(0);
    RoundedProduct check = new RoundedProduct(broken, 1, 2, HOST_OF, true, DType.I8);
    assertEquals(false, check.isNear(c, FIRST_ROW));
  }
}
