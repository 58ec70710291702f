// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Check of a product of {@link Integers} that was rounded on its way: some of its elements, each
 * against the bound that follows from what was rounded.
 */
final class RoundedProduct {
  private static final int ELEMENTS = 64;

  /** Half the distance of two int8, as a part of the largest; and a little for rounding in F32. */
  private static final double INT8 = 1 / 253.0;

  private static final double BF16 = 0x1p-8;
  private static final double F32 = 1e-5;

  private final long aSeed;
  private final long bSeed;
  private final int[] hostOf;
  private final int hosts;
  private final boolean rows;
  private final DType sums;

  /**
   * A check.
   *
   * @param hostOf the host that has a column of A; 0 for all where rows are gathered
   * @param rows whether rows of A were rounded to int8
   * @param sums the type in which the hosts' sums travelled
   */
  RoundedProduct(long aSeed, long bSeed, int[] hostOf, boolean rows, DType sums) {
    this.aSeed = aSeed;
    this.bSeed = bSeed;
    this.hostOf = hostOf;
    this.hosts = Arrays.stream(hostOf).max().orElse(0) + 1;
    this.rows = rows;
    this.sums = sums;
  }

  /**
   * Whether no element that was looked at is off by more than its bound.
   *
   * @param firstRow the row of the product that the first of {@code c} is
   */
  boolean isNear(Matrix c, long firstRow) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < ELEMENTS && c.rows() > 0; i++) {
      long row = random.nextLong(c.rows());
      long column = random.nextLong(c.columns());
      Element element = new Element(firstRow + row, column);
      double lost = element.largestInRows + lostBySums(element, c.columns());
      if (!(Math.abs(c.get(row, column) - element.sum()) <= lost + F32 * element.size)) {
        return false;
      }
    }
    return true;
  }

  private double lostBySums(Element element, long columns) {
    if (sums == DType.BF16) {
      return BF16 * element.size;
    }
    if (sums != DType.I8) {
      return 0;
    }
    double[] largest = new double[hosts];
    long block = element.column - element.column % RowFormat.BLOCK;
    for (long column = block; column < Math.min(columns, block + RowFormat.BLOCK); column++) {
      double[] other = new Element(element.row, column).ofHost;
      for (int host = 0; host < hosts; host++) {
        largest[host] = Math.max(largest[host], Math.abs(other[host]));
      }
    }
    double all = element.largestInRows * hosts * INT8;
    for (double ofHost : largest) {
      all += ofHost * INT8;
    }
    return all;
  }

  /** An element of the product. */
  private final class Element {
    private final long row;
    private final long column;
    private final double[] ofHost = new double[hosts];

    /** The sum of magnitudes. */
    private double size;

    /** What rounding of rows can take. */
    private double largestInRows;

    Element(long row, long column) {
      this.row = row;
      this.column = column;
      for (int k = 0; k < hostOf.length; k++) {
        double b = Integers.value(bSeed, k, column);
        double term = Integers.value(aSeed, row, k) * b;
        ofHost[hostOf[k]] += term;
        size += Math.abs(term);
        largestInRows += rows ? Math.abs(b) * Integers.LARGEST * INT8 : 0;
      }
    }

    double sum() {
      double sum = 0;
      for (double part : ofHost) {
        sum += part;
      }
      return sum;
    }
  }
}
