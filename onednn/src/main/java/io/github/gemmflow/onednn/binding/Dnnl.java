// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
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

  /** The way of storing weights that is best for products of many rows. */
  Layout layout(DType type, long inputs, long outputs);

  /** How weights are stored; opaque. */
  interface Layout extends AutoCloseable {
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

    @Override
    void close();
  }

  /**
   * A product of one height.
   *
   * @param rows the rows of A, which lie without gaps
   * @param output the type of C: F32, or that of the weights
   * @param outputStride elements from one row of C to the next
   * @param bias whether a row of F32 is added
   * @throws DnnlException if there is no fast implementation
   */
  Matmul matmul(
      Layout layout,
      long rows,
      DType output,
      long outputStride,
      boolean bias,
      Activation activation);

  /**
   * An int8 product of one height: sums of int32, rounded to F32, times the scale of the column,
   * times the scale of the row.
   *
   * @param rows the rows of A
   * @param inputStride bytes from one row of A to the next
   * @param outputStride elements from one row of C, which is F32, to the next
   * @param adds whether the product is added to what C holds, before the activation
   * @throws DnnlException if there is no fast implementation
   */
  Int8Matmul int8Matmul(
      Layout layout,
      long rows,
      long inputStride,
      long outputStride,
      boolean adds,
      Activation activation);

  /** An int8 product of one height, which any number of {@link Int8Call}s may share. */
  interface Int8Matmul extends AutoCloseable {
    /** oneDNN's name for how it is done. */
    String implementation();

    /** The memory that each call needs for itself while it runs. */
    long scratchBytes();

    /** A way to run it for one thread at a time; to be closed before this is. */
    Int8Call newCall(MemorySegment scratch);

    @Override
    void close();
  }

  /** One thread's way to run an int8 product. Not thread-safe. */
  interface Int8Call extends AutoCloseable {
    /**
     * Runs the product. A and C are not freed meanwhile; closing their arenas throws.
     *
     * @param a native memory that A is in
     * @param aAt the address where A begins
     * @param rowScalesAt the address of the scales of its rows, without gaps
     * @param weightsAt the address where the packed weights begin; the caller keeps them alive
     * @param columnScalesAt the address of the scales of their columns
     * @param c native memory that C is in
     * @param cAt the address where C begins
     */
    void run(
        MemorySegment a,
        long aAt,
        long rowScalesAt,
        long weightsAt,
        long columnScalesAt,
        MemorySegment c,
        long cAt);

    @Override
    void close();
  }

  /** A product of one height, which any number of {@link Call}s may share. */
  interface Matmul extends AutoCloseable {
    /** oneDNN's name for how it is done. */
    String implementation();

    /** The memory that each call needs for itself while it runs. */
    long scratchBytes();

    /** A way to run it for one thread at a time; to be closed before this is. */
    Call newCall(MemorySegment scratch);

    @Override
    void close();
  }

  /** One thread's way to run a product. Not thread-safe. */
  interface Call extends AutoCloseable {
    /**
     * Runs the product. A and C are not freed meanwhile; closing their arenas throws.
     *
     * @param a native memory that A is in
     * @param aAt the address where A begins
     * @param weightsAt the address where the packed weights begin; the caller keeps them alive
     * @param biasAt the same for the bias; ignored if the product has none
     * @param c native memory that C is in
     * @param cAt the address where C begins
     */
    void run(MemorySegment a, long aAt, long weightsAt, long biasAt, MemorySegment c, long cAt);

    @Override
    void close();
  }
}
