// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.matrix.DType;
import java.lang.foreign.MemorySegment;

/**
 * As much of oneDNN as a matrix product needs. Whatever is made here runs on the one thread that
 * calls it. Thread-safe, except where it is said.
 */
public interface Dnnl {
  /** Of this process; loads the library, if that has not been done. */
  static Dnnl load() {
    return NativeDnnl.instance();
  }

  /** Such as 3.13.0. */
  String version();

  /** Where the library was found. */
  String library();

  /** The best instructions that oneDNN uses on this machine. */
  Isa isa();

  /**
   * The way of storing weights that is best for products of many rows.
   *
   * @param rowType the type of the rows of A: that of the weights, or F32 for weights in int8
   */
  Layout layout(DType rowType, DType type, long inputs, long outputs);

  /** Something of oneDNN's that is freed by hand. */
  interface Handle extends AutoCloseable {
    @Override
    void close();
  }

  /** How weights are stored; opaque. */
  interface Layout extends Handle {
    /** The type of the rows that are multiplied with these weights. */
    DType rowType();

    DType type();

    /** The rows of B. */
    long inputs();

    /** The columns of B. */
    long outputs();

    /** The memory that packed weights take. */
    long bytes();

    /**
     * Packs weights.
     *
     * @param source native memory
     * @param inputStride elements from one input to the next
     * @param outputStride elements from one output to the next
     * @param target as many {@link #bytes}, aligned to 64
     */
    void pack(MemorySegment source, long inputStride, long outputStride, MemorySegment target);
  }

  /**
   * A product of one height. In int8 it is a sum of int32, rounded to F32, times the scale of the
   * column, times the scale of the row. Of rows in F32 with weights in int8 it is a sum of F32,
   * times the scale of the column.
   *
   * @throws DnnlException if there is no fast implementation
   */
  Matmul matmul(Layout layout, MatmulSpec spec);

  /** A product of one height, which any number of {@link Call}s may share. */
  interface Matmul extends Handle {
    /** oneDNN's name for how it is done. */
    String implementation();

    /** The memory that each call needs for itself while it runs. */
    long scratchBytes();

    /** A way to run it for one thread at a time; to be closed before this is. */
    Call newCall(MemorySegment scratch);
  }

  /** One thread's way to run a product. Not thread-safe. */
  interface Call extends Handle {
    /**
     * Runs the product. A and C are not freed meanwhile; closing their arenas throws.
     *
     * @param a native memory that A is in
     * @param aAt the address where A begins
     * @param rowScalesAt the address of the scales of its rows, without gaps; ignored unless rows
     *     are in int8
     * @param weightsAt the address where the packed weights begin; the caller keeps them alive
     * @param columnScalesAt the same for the scales of their columns; ignored unless they are in
     *     int8
     * @param biasAt the same for the bias; ignored if there is none, or rows are in int8
     * @param c native memory that C is in
     * @param cAt the address where C begins
     */
    void run(
        MemorySegment a,
        long aAt,
        long rowScalesAt,
        long weightsAt,
        long columnScalesAt,
        long biasAt,
        MemorySegment c,
        long cAt);
  }
}
