// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Product of two weight matrices with one A, multiplied element by element: {@code C = gate(A x G)
 * * (A x U)}. Both factors are computed in F32, a tile at a time, into memory of the thread's own,
 * and are multiplied while they are in its cache.
 */
public final class GatedProduct implements Product {
  /** Both factors of a tile fit a second-level cache of 1 MiB, with room for weights. */
  private static final long TILE_BYTES = 512 << 10;

  private static final long ALIGNMENT = 64;

  private final Product gate;
  private final Product up;
  private final long columns;
  private final DType output;
  private final int tileColumns;
  private final int tileRows;
  private final Arena arena;
  private final Scratch[] scratch;

  /**
   * A product of products, which it takes over, even if it fails.
   *
   * @param gate computes the first factor, with its activation, in F32
   * @param up computes the second factor, in F32
   * @param columns of each of them
   * @param output the type of C
   * @param threads how many threads multiply
   */
  public GatedProduct(Product gate, Product up, long columns, DType output, int threads) {
    this(gate, up, columns, output, threads, Arena.ofShared());
  }

  /**
   * The same with memory of the caller's choice, which it takes over, too.
   *
   * @param arena for use by all threads
   */
  GatedProduct(Product gate, Product up, long columns, DType output, int threads, Arena arena) {
    this.arena = arena;
    this.gate = gate;
    this.up = up;
    this.columns = columns;
    this.output = output;
    this.tileColumns = Math.max(gate.columnGranularity(), up.columnGranularity());
    this.tileRows = (int) Math.max(worthwhileRows(), TILE_BYTES / (2L * Float.BYTES * tileColumns));
    this.scratch = new Scratch[threads];
    try {
      for (int thread = 0; thread < threads; thread++) {
        scratch[thread] = new Scratch();
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public int columnGranularity() {
    return tileColumns;
  }

  @Override
  public int worthwhileRows() {
    return Math.max(gate.worthwhileRows(), up.worthwhileRows());
  }

  @Override
  public void multiply(int thread, Block a, Block c, long firstColumn) {
    long width = c.rowBytes() / output.bytes();
    for (long column = 0; column < width; column += tileColumns) {
      int tileWidth = (int) Math.min(tileColumns, width - column);
      for (long row = 0; row < a.rows(); row += tileRows) {
        int rows = (int) Math.min(tileRows, a.rows() - row);
        scratch[thread].multiply(thread, a, c, row, rows, column, tileWidth, firstColumn);
      }
    }
  }

  @Override
  public void close() {
    gate.close();
    up.close();
    arena.close();
  }

  /** What one thread has for itself. */
  private final class Scratch {
    /** Rows of factors are as far apart as those of whole products: kernels write them in place. */
    private final long stride = columns * Float.BYTES;

    private final MemorySegment gates = arena.allocate(tileRows * stride, ALIGNMENT);
    private final MemorySegment ups = arena.allocate(tileRows * stride, ALIGNMENT);
    private final float[] values = new float[tileColumns];
    private final float[] factors = new float[tileColumns];
    private final Floats floats = new Floats(tileColumns);
    private final Block input = new Block();
    private final Block factor = new Block();

    void multiply(
        int thread,
        Block a,
        Block c,
        long firstRow,
        int rows,
        long column,
        int width,
        long firstColumn) {
      long at = a.offset() + firstRow * a.stride();
      input.at(a.memory(), at, rows, a.rowBytes(), a.stride());
      long widthBytes = (long) width * Float.BYTES;
      factor.at(gates, 0, rows, widthBytes, stride);
      gate.multiply(thread, input, factor, firstColumn + column);
      factor.at(ups, 0, rows, widthBytes, stride);
      up.multiply(thread, input, factor, firstColumn + column);
      for (int row = 0; row < rows; row++) {
        floats.load(DType.F32, gates, row * stride, values, width);
        floats.load(DType.F32, ups, row * stride, factors, width);
        for (int i = 0; i < width; i++) {
          values[i] *= factors[i];
        }
        long target = c.offset() + (firstRow + row) * c.stride() + column * output.bytes();
        floats.store(output, c.memory(), target, values, width);
      }
    }
  }
}
