// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Quantizer;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Product in int8 whose rows are reals: a few at a time are rounded, and multiplied while they are
 * in the cache.
 */
public final class QuantizingProduct implements Product {
  private static final int ROWS = 64;

  private final Product product;
  private final DType type;
  private final int columns;
  private final RowFormat format;
  private final Arena arena = Arena.ofShared();
  private final Lane[] lanes;

  /**
   * Takes over a product in int8, and closes it if this fails.
   *
   * @param type of the rows
   * @param columns of a row
   * @param threads how many threads multiply
   */
  public QuantizingProduct(Product product, DType type, long columns, int threads) {
    this.product = product;
    this.type = type;
    this.columns = Math.toIntExact(columns);
    this.format = new RowFormat(DType.I8, columns);
    this.lanes = new Lane[threads];
    try {
      for (int thread = 0; thread < threads; thread++) {
        lanes[thread] = new Lane();
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public int columnGranularity() {
    return product.columnGranularity();
  }

  @Override
  public int worthwhileRows() {
    return product.worthwhileRows();
  }

  @Override
  public void multiply(int thread, Block a, Block c, long firstColumn) {
    for (long row = 0; row < a.rows(); row += ROWS) {
      lanes[thread].run(thread, a, c, row, Math.min(ROWS, a.rows() - row), firstColumn);
    }
  }

  @Override
  public void close() {
    product.close();
    arena.close();
  }

  /** What one thread has for itself. */
  private final class Lane {
    private final MemorySegment memory = arena.allocate(ROWS * format.bytes(), 64);
    private final Quantizer quantizer = new Quantizer(columns);
    private final Block rounded = new Block();
    private final Block target = new Block();

    void run(int thread, Block a, Block c, long first, long rows, long firstColumn) {
      for (long i = 0; i < rows; i++) {
        long from = a.offset() + (first + i) * a.stride();
        long at = i * format.bytes();
        float scale = quantizer.round(type, a.memory(), from, memory, at, columns);
        memory.set(ValueLayout.JAVA_FLOAT, at + format.scaleAt(), scale);
      }
      rounded.at(memory, 0, rows, format.bytes(), format.bytes());
      target.at(c.memory(), c.offset() + first * c.stride(), rows, c.rowBytes(), c.stride());
      product.multiply(thread, rounded, target, firstColumn);
    }
  }
}
