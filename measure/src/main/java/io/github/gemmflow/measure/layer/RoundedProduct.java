// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.kernel.ProductSpec;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Check of a product of {@link Integers} that was rounded on its way: every element against the
 * bound that follows from what was rounded. A kernel computes the exact product block by block, in
 * F32, and each block is checked before anything is compared with it.
 */
final class RoundedProduct {
  /** Blocks of this size take some MB, and a kernel multiplies them as fast as large ones. */
  private static final int ROWS = 512;

  private static final int COLUMNS = 8 * RowFormat.BLOCK;

  /** Half the distance of two int8, as a part of the largest; and a little for rounding in F32. */
  private static final double INT8 = 1 / 253.0;

  private static final double BF16 = 0x1p-8;
  private static final double F32 = 1e-5;

  private final Kernel kernel;
  private final long aSeed;
  private final long bSeed;
  private final List<int[]> columnsOfHosts;
  private final boolean rows;
  private final DType sums;

  /**
   * A check.
   *
   * @param hostOf the host that has a column of A; 0 for all where rows are gathered
   * @param rows whether rows of A were rounded to int8
   * @param sums the type in which the hosts' sums travelled
   */
  RoundedProduct(Kernel kernel, long aSeed, long bSeed, int[] hostOf, boolean rows, DType sums) {
    this.kernel = kernel;
    this.aSeed = aSeed;
    this.bSeed = bSeed;
    this.columnsOfHosts =
        IntStream.rangeClosed(0, Arrays.stream(hostOf).max().orElse(0))
            .mapToObj(
                host -> IntStream.range(0, hostOf.length).filter(k -> hostOf[k] == host).toArray())
            .toList();
    this.rows = rows;
    this.sums = sums;
  }

  /**
   * Whether no element is off by more than its bound.
   *
   * @param firstRow the row of the product that the first of {@code c} is
   */
  boolean isNear(Matrix c, long firstRow) {
    for (long first = 0; first < c.columns(); first += COLUMNS) {
      int columns = (int) Math.min(COLUMNS, c.columns() - first);
      try (Panel panel = new Panel(first, columns)) {
        for (long row = 0; row < c.rows(); row += ROWS) {
          Matrix block = c.rows(row, Math.min(c.rows(), row + ROWS));
          if (!panel.isNear(block.columns(first, first + columns), firstRow + row)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Some columns of the product, for any rows. */
  private final class Panel implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final List<HostPart> parts = new ArrayList<>();

    /** Of each column of B the sum of magnitudes, and the sum of squares. */
    private final double[] magnitudes;

    private final double[] squares;

    Panel(long firstColumn, int columns) {
      this.magnitudes = new double[columns];
      this.squares = new double[columns];
      for (int[] inner : columnsOfHosts) {
        Matrix b = Matrix.allocate(DType.F32, inner.length, columns, arena);
        for (int i = 0; i < inner.length; i++) {
          for (int column = 0; column < columns; column++) {
            int value = Integers.value(bSeed, inner[i], firstColumn + column);
            b.set(i, column, value);
            magnitudes[column] += Math.abs(value);
            squares[column] += value * value;
          }
        }
        ProductCheck check = new ProductCheck(aSeed, bSeed, inner, firstColumn, columns);
        parts.add(new HostPart(inner, b, check, arena));
      }
    }

    boolean isNear(Matrix c, long firstRow) {
      double[] squaresOfRows = new double[(int) c.rows()];
      for (HostPart part : parts) {
        if (!part.compute(firstRow, squaresOfRows)) {
          return false;
        }
      }
      for (int row = 0; row < c.rows(); row++) {
        for (int column = 0; column < c.columns(); column++) {
          if (!(Math.abs(c.get(row, column) - exact(row, column))
              <= bound(row, column, squaresOfRows[row]))) {
            return false;
          }
        }
      }
      return true;
    }

    private double exact(int row, int column) {
      double sum = 0;
      for (HostPart part : parts) {
        sum += part.product.get(row, column);
      }
      return sum;
    }

    private double bound(int row, int column, double squaresOfRow) {
      double inRows = rows ? magnitudes[column] * Integers.LARGEST * INT8 : 0;
      // The sum of the magnitudes of products is no larger than this (Cauchy and Schwarz).
      double size = Math.sqrt(squaresOfRow * squares[column]);
      return inRows + inSums(row, column, inRows) + F32 * size;
    }

    /** What rounding of the hosts' sums can take, which themselves can be off by a little. */
    private double inSums(int row, int column, double off) {
      double lost = 0;
      for (HostPart part : parts) {
        if (sums == DType.BF16) {
          lost += BF16 * (Math.abs(part.product.get(row, column)) + off);
        } else if (sums == DType.I8) {
          lost += INT8 * (part.largestInBlock(row, column) + off);
        }
      }
      return lost;
    }

    @Override
    public void close() {
      parts.forEach(HostPart::close);
      arena.close();
    }
  }

  /** What the columns of A that one host has contribute to a panel. */
  private final class HostPart implements AutoCloseable {
    private final int[] inner;
    private final ProductCheck check;
    private final PackedWeights weights;
    private final Product multiplication;
    private final Matrix a;
    private final Matrix product;
    private final Block aBlock = new Block();
    private final Block cBlock = new Block();
    private final double[][] largest;

    HostPart(int[] inner, Matrix b, ProductCheck check, Arena arena) {
      this.inner = inner;
      this.check = check;
      this.weights = kernel.pack(b, WeightLayout.IN_OUT);
      this.multiplication = kernel.product(weights, new ProductSpec(DType.F32, Epilogue.NONE, 1));
      this.a = Matrix.allocate(DType.F32, ROWS, inner.length, arena);
      this.product = Matrix.allocate(DType.F32, ROWS, b.columns(), arena);
      this.largest = new double[ROWS][Math.toIntExact(Math.ceilDiv(b.columns(), RowFormat.BLOCK))];
    }

    /**
     * Computes some rows; returns whether they are right.
     *
     * @param squares of elements of A, to be added to: one sum for each row
     */
    boolean compute(long firstRow, double[] squares) {
      for (int row = 0; row < squares.length; row++) {
        for (int i = 0; i < inner.length; i++) {
          int value = Integers.value(aSeed, firstRow + row, inner[i]);
          a.set(row, i, value);
          squares[row] += value * value;
        }
      }
      a.block(aBlock, 0, squares.length);
      product.block(cBlock, 0, squares.length);
      multiplication.multiply(0, aBlock, cBlock, 0);
      for (int row = 0; row < squares.length; row++) {
        Arrays.fill(largest[row], 0);
        for (int column = 0; column < product.columns(); column++) {
          int block = column / RowFormat.BLOCK;
          largest[row][block] = Math.max(largest[row][block], Math.abs(product.get(row, column)));
        }
      }
      return check.passes(product.rows(0, squares.length), firstRow);
    }

    /** The largest magnitude in the block of columns that is rounded together with one. */
    double largestInBlock(int row, int column) {
      return largest[row][column / RowFormat.BLOCK];
    }

    @Override
    public void close() {
      multiplication.close();
      weights.close();
    }
  }
}
