// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A row-major matrix as a view on memory: rows of {@link #columns()} elements, {@link #stride()}
 * elements apart. It owns nothing; the memory lives as long as its {@link Arena}. Sizes are 64-bit
 * throughout, and a matrix may have no rows or no columns.
 *
 * <p>A matrix handed out by a step may only be used until that step ends; after it every method
 * that touches elements throws {@link IllegalStateException}.
 *
 * <p>Not synchronised: threads that share elements order their accesses themselves.
 */
public final class Matrix {
  /** Alignment of {@link #allocate}, in bytes: one cache line and one AVX-512 register. */
  private static final long ALIGNMENT = 64;

  /** Elements that are converted at a time: they fit the first-level cache. */
  private static final int RUN = 2048;

  private final MemorySegment memory;
  private final DType type;
  private final long rows;
  private final long columns;
  private final long stride;
  private final Lease lease;

  private Matrix(
      MemorySegment memory, DType type, long rows, long columns, long stride, Lease lease) {
    this.memory = memory;
    this.type = type;
    this.rows = rows;
    this.columns = columns;
    this.stride = stride;
    this.lease = lease;
  }

  /** Allocates a matrix of zeros, without gaps between rows. */
  public static Matrix allocate(DType type, long rows, long columns, Arena arena) {
    long bytes = bytesFor(type, rows, columns, columns);
    return new Matrix(
        arena.allocate(bytes, ALIGNMENT), type, rows, columns, columns, Lease.FOREVER);
  }

  /** A view on the start of {@code memory}, without gaps between rows. */
  public static Matrix wrap(MemorySegment memory, DType type, long rows, long columns) {
    return wrap(memory, type, rows, columns, columns);
  }

  /**
   * A view on the start of {@code memory}.
   *
   * @param stride elements from the start of one row to the start of the next; at least {@code
   *     columns}
   */
  public static Matrix wrap(
      MemorySegment memory, DType type, long rows, long columns, long stride) {
    if (stride < columns) {
      throw new IllegalArgumentException(
          "stride %d is less than the %d columns".formatted(stride, columns));
    }
    long bytes = bytesFor(type, rows, columns, stride);
    if (bytes > memory.byteSize()) {
      throw new IllegalArgumentException(
          "%d x %d %s with stride %d needs %d bytes, the memory has %d"
              .formatted(rows, columns, type, stride, bytes, memory.byteSize()));
    }
    // A step hands out memory that fits: one object less per step.
    MemorySegment fitting = bytes == memory.byteSize() ? memory : memory.asSlice(0, bytes);
    return new Matrix(fitting, type, rows, columns, stride, Lease.FOREVER);
  }

  private static long bytesFor(DType type, long rows, long columns, long stride) {
    if (rows < 0 || columns < 0) {
      throw new IllegalArgumentException(
          "a matrix cannot have %d x %d elements".formatted(rows, columns));
    }
    if (rows == 0 || columns == 0) {
      return 0;
    }
    long elements = Math.addExact(Math.multiplyExact(rows - 1, stride), columns);
    return Math.multiplyExact(elements, (long) type.bytes());
  }

  /** The type of the elements. */
  public DType type() {
    return type;
  }

  /** The number of rows. */
  public long rows() {
    return rows;
  }

  /** The number of columns. */
  public long columns() {
    return columns;
  }

  /** Elements from the start of one row to the start of the next. */
  public long stride() {
    return stride;
  }

  /**
   * The memory from the first element to the last. What that of a step's matrix holds after the
   * step's end is undefined, and to use it may throw {@link IllegalStateException}.
   */
  public MemorySegment memory() {
    lease.check();
    return memory;
  }

  /** This matrix for as long as {@code lease} lasts. */
  public Matrix under(Lease lease) {
    return new Matrix(memory, type, rows, columns, stride, lease);
  }

  /** This matrix for reading only: whoever writes to it gets an exception. */
  public Matrix asReadOnly() {
    return new Matrix(memory.asReadOnly(), type, rows, columns, stride, lease);
  }

  /** The rows from {@code from} up to, but not including, {@code to}: a view. */
  public Matrix rows(long from, long to) {
    checkRange("rows", from, to, rows);
    return slice(from * stride, to - from, columns);
  }

  /** The columns from {@code from} up to, but not including, {@code to}: a view. */
  public Matrix columns(long from, long to) {
    checkRange("columns", from, to, columns);
    return slice(from, rows, to - from);
  }

  private Matrix slice(long firstElement, long newRows, long newColumns) {
    long bytes = bytesFor(type, newRows, newColumns, stride);
    long offset = bytes == 0 ? 0 : firstElement * type.bytes();
    return new Matrix(memory().asSlice(offset, bytes), type, newRows, newColumns, stride, lease);
  }

  private static void checkRange(String what, long from, long to, long size) {
    if (from < 0 || from > to || to > size) {
      throw new IndexOutOfBoundsException(
          "%s %d to %d of a matrix with %d".formatted(what, from, to, size));
    }
  }

  /** One element. */
  public float get(long row, long column) {
    return type.get(memory(), offset(row, column));
  }

  /** Stores {@code value}, rounded to the nearest value of the type, ties to even. */
  public void set(long row, long column, float value) {
    type.set(memory(), offset(row, column), value);
  }

  private long offset(long row, long column) {
    Objects.checkIndex(row, rows);
    Objects.checkIndex(column, columns);
    return (row * stride + column) * type.bytes();
  }

  /** Stores {@code value} in every element. */
  public Matrix fill(float value) {
    MemorySegment target = memory();
    for (long row = 0; row < rows; row++) {
      long offset = row * stride * type.bytes();
      for (long column = 0; column < columns; column++, offset += type.bytes()) {
        type.set(target, offset, value);
      }
    }
    return this;
  }

  /** Reads a row into the start of an array, which is at least as long. */
  public void getRow(long row, float[] values) {
    newFloats().load(type, memory(), rowOffset(row, values), values, (int) columns);
  }

  /**
   * Stores the start of an array in a row, rounded to the nearest values of the type, ties to even.
   *
   * @param values at least as long as the row
   */
  public void setRow(long row, float[] values) {
    newFloats().store(type, memory(), rowOffset(row, values), values, (int) columns);
  }

  /** What converts a row; F32 needs no room for that. */
  private Floats newFloats() {
    return new Floats(type == DType.F32 ? 0 : (int) columns);
  }

  private long rowOffset(long row, float[] values) {
    Objects.checkIndex(row, rows);
    if (values.length < columns) {
      throw new IllegalArgumentException(
          "a row of %d columns does not fit an array of %d".formatted(columns, values.length));
    }
    return row * stride * type.bytes();
  }

  /** Throws if two matrices are not of the same shape. */
  public static void checkShape(Matrix from, Matrix to) {
    if (from.rows != to.rows || from.columns != to.columns) {
      throw new IllegalArgumentException(
          "cannot copy %d x %d into %d x %d"
              .formatted(from.rows, from.columns, to.rows, to.columns));
    }
  }

  /** Copies all elements of a matrix of the same shape; converts them if its type differs. */
  public Matrix copyFrom(Matrix source) {
    checkShape(source, this);
    MemorySegment from = source.memory();
    MemorySegment to = memory();
    if (source.type == type) {
      block(new Block(), 0, rows).copyFrom(source.block(new Block(), 0, rows));
      return this;
    }
    Floats floats = new Floats(RUN);
    float[] values = new float[RUN];
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column += RUN) {
        int count = (int) Math.min(RUN, columns - column);
        long at = (row * source.stride + column) * source.type.bytes();
        floats.load(source.type, from, at, values, count);
        floats.store(type, to, (row * stride + column) * type.bytes(), values, count);
      }
    }
    return this;
  }

  /** Stores {@code rows * columns} values, row by row. */
  public Matrix copyFrom(float[] values) {
    checkLength(values.length);
    MemorySegment to = memory();
    int next = 0;
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        type.set(to, (row * stride + column) * type.bytes(), values[next++]);
      }
    }
    return this;
  }

  /** All elements, row by row. */
  public float[] toFloats() {
    float[] values = new float[Math.toIntExact(Math.multiplyExact(rows, columns))];
    MemorySegment from = memory();
    int next = 0;
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        values[next++] = type.get(from, (row * stride + column) * type.bytes());
      }
    }
    return values;
  }

  private void checkLength(long elements) {
    if (elements != rows * columns) {
      throw new IllegalArgumentException(
          "%d values do not fill %d x %d".formatted(elements, rows, columns));
    }
  }

  /**
   * Copies elements of this matrix's type from a buffer's remaining bytes, row by row, and moves
   * its position past them.
   */
  public Matrix copyFrom(ByteBuffer source) {
    int bytes = checkRemaining(source);
    block(new Block(), 0, rows).copyFrom(packed(MemorySegment.ofBuffer(source), bytes));
    source.position(source.position() + bytes);
    return this;
  }

  /** Copies all elements, row by row, to a buffer, and moves its position past them. */
  public void copyTo(ByteBuffer target) {
    int bytes = checkRemaining(target);
    packed(MemorySegment.ofBuffer(target), bytes).copyFrom(block(new Block(), 0, rows));
    target.position(target.position() + bytes);
  }

  private int checkRemaining(ByteBuffer buffer) {
    long bytes = Math.multiplyExact(Math.multiplyExact(rows, columns), (long) type.bytes());
    if (bytes > buffer.remaining()) {
      throw new IllegalArgumentException(
          "%d x %d %s has %d bytes, the buffer %d left"
              .formatted(rows, columns, type, bytes, buffer.remaining()));
    }
    return (int) bytes;
  }

  private Block packed(MemorySegment bytes, long size) {
    long rowBytes = columns * type.bytes();
    return new Block().at(bytes.asSlice(0, size), 0, rows, rowBytes, rowBytes);
  }

  /** Points {@code block} at the rows from {@code from} up to, but not including, {@code to}. */
  public Block block(Block block, long from, long to) {
    checkRange("rows", from, to, rows);
    long strideBytes = stride * type.bytes();
    return block.at(memory(), from * strideBytes, to - from, columns * type.bytes(), strideBytes);
  }

  /** The shape and type; never the elements. */
  @Override
  public String toString() {
    return "%d x %d %s".formatted(rows, columns, type);
  }
}
