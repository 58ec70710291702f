// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.matrix.wire.Quantizer;
import io.github.gemmflow.matrix.wire.WireRows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;

/**
 * Product whose rows come in another format than it takes: a few at a time are converted, and
 * multiplied while they are in the cache.
 */
public final class ConvertingProduct implements Product {
  private static final int ROWS = 64;
  private static final long ALIGNMENT = 64;

  /** One thread's conversion of a row. */
  @FunctionalInterface
  private interface Conversion {
    void convert(MemorySegment from, long offset, MemorySegment to, long at);
  }

  private final Product product;
  private final long rowBytes;
  private final Arena arena = Arena.ofShared();
  private final Lane[] lanes;

  private ConvertingProduct(
      Product product, long rowBytes, int threads, Supplier<Conversion> conversion) {
    this.product = product;
    this.rowBytes = rowBytes;
    this.lanes = new Lane[threads];
    try {
      for (int thread = 0; thread < threads; thread++) {
        lanes[thread] = new Lane(conversion.get());
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * Rounds rows for a product in int8, which it takes over, even if it fails.
   *
   * @param type of the rows
   * @param columns of a row
   * @param threads how many threads multiply
   */
  public static Product rounding(Product product, DType type, long columns, int threads) {
    RowFormat format = new RowFormat(DType.I8, columns);
    int count = Math.toIntExact(columns);
    return new ConvertingProduct(
        product,
        format.bytes(),
        threads,
        () -> {
          Quantizer quantizer = new Quantizer(count);
          return (from, offset, to, at) -> {
            float scale = quantizer.round(type, from, offset, to, at, count);
            to.set(ValueLayout.JAVA_FLOAT, at + format.scaleAt(), scale);
          };
        });
  }

  /**
   * Turns rows that travelled in int8 into those of a product of reals, which it takes over, even
   * if it fails.
   *
   * @param type of the product
   * @param columns of a row
   * @param threads how many threads multiply
   */
  public static Product ofBlocks(Product product, DType type, long columns, int threads) {
    int count = Math.toIntExact(columns);
    return new ConvertingProduct(
        product,
        new RowFormat(type, columns).bytes(),
        threads,
        () -> {
          WireRows rows = new WireRows(0);
          Floats floats = new Floats(count);
          float[] values = new float[count];
          return (from, offset, to, at) -> {
            rows.load(DType.I8, from, offset, 0, values, count);
            floats.store(type, to, at, values, count);
          };
        });
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
    private final Conversion conversion;
    private final MemorySegment memory = arena.allocate(ROWS * rowBytes, ALIGNMENT);
    private final Block converted = new Block();
    private final Block target = new Block();

    Lane(Conversion conversion) {
      this.conversion = conversion;
    }

    void run(int thread, Block a, Block c, long first, long rows, long firstColumn) {
      for (long i = 0; i < rows; i++) {
        long from = a.offset() + (first + i) * a.stride();
        conversion.convert(a.memory(), from, memory, i * rowBytes);
      }
      converted.at(memory, 0, rows, rowBytes, rowBytes);
      target.at(c.memory(), c.offset() + first * c.stride(), rows, c.rowBytes(), c.stride());
      product.multiply(thread, converted, target, firstColumn);
    }
  }
}
