// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Floats;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A product in plain Java: row by row, and panel by panel of columns. */
final class ReferenceProduct implements Product {
  /** Columns in a panel: enough for the JIT to vectorise, few enough for sums to stay in L1. */
  static final int PANEL = 64;

  private final DType output;
  private final Epilogue epilogue;
  private final Lane[] lanes;

  /**
   * A product.
   *
   * @param newLane makes what a thread has for itself
   */
  ReferenceProduct(ProductSpec spec, Supplier<Lane> newLane) {
    this.output = spec.output();
    this.epilogue = spec.epilogue();
    this.lanes = Stream.generate(newLane).limit(spec.threads()).toArray(Lane[]::new);
  }

  /** What one thread has for itself. */
  abstract static class Lane {
    private final float[] results = new float[PANEL];
    private final Floats floats = new Floats(PANEL);

    /** Reads the row of A that the following panels are multiplied with. */
    abstract void load(MemorySegment memory, long offset);

    /**
     * Multiplies the row with some columns of a panel.
     *
     * @param skip how many of its columns come before them
     * @param width how many they are, from the first of {@code results} on
     */
    abstract void multiply(int panel, int skip, int width, float[] results);
  }

  @Override
  public int columnGranularity() {
    return PANEL;
  }

  @Override
  public int worthwhileRows() {
    return 4;
  }

  @Override
  public void multiply(int thread, Block a, Block c, long firstColumn) {
    Lane lane = lanes[thread];
    long end = firstColumn + c.rowBytes() / output.bytes();
    for (long row = 0; row < a.rows(); row++) {
      lane.load(a.memory(), a.offset() + row * a.stride());
      long target = c.offset() + row * c.stride();
      for (long column = firstColumn; column < end; ) {
        int skip = (int) (column % PANEL);
        int width = (int) Math.min(PANEL - skip, end - column);
        lane.multiply((int) (column / PANEL), skip, width, lane.results);
        epilogue.apply(lane.results, (int) column, width);
        lane.floats.store(output, c.memory(), target, lane.results, width);
        target += (long) width * output.bytes();
        column += width;
      }
    }
  }

  @Override
  public void close() {}
}
