// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Writer of one matrix to a file, in parts and from several processes if need be: one of them
 * {@link #create creates} the file; then the others {@link #join join} it, write their parts and
 * close; then the first {@link #complete completes} it. That each begins after the one before has
 * ended is up to the caller. What nobody writes is zero.
 *
 * <p>Until it is complete the file has another name in the same directory, {@code .x.npy.partial}
 * for {@code x.npy}; an older file of the name stays as it is until then.
 *
 * <p>Processes on several hosts need a file system that keeps what they write to neighbouring bytes
 * apart, as those made for parallel programs do. NFS does not promise it: there write from one
 * host, or one file per rank.
 *
 * <p>Any number of threads may {@link #write} at once, each its own elements. Not collective.
 */
public final class MatrixWriter implements AutoCloseable {
  private final PartialFile file;
  private final long dataBegin;
  private final DType type;
  private final long rows;
  private final long columns;

  private MatrixWriter(PartialFile file, long dataBegin, DType type, long rows, long columns) {
    this.file = file;
    this.dataBegin = dataBegin;
    this.type = type;
    this.rows = rows;
    this.columns = columns;
  }

  /**
   * Makes a file for a matrix, with all but its elements. What an unfinished writer left behind is
   * removed.
   *
   * @param where {@code x.npy}, {@code x.safetensors#name}, or {@code x.safetensors}, in which the
   *     tensor is called {@code matrix}
   * @param type of the elements; in .npy, BF16 is stored as uint16, since NumPy has no bfloat16
   * @throws IllegalArgumentException if the name has another end, or no file is that large
   * @throws IOException if it cannot be made; the message says which file, and why
   */
  public static MatrixWriter create(String where, DType type, long rows, long columns)
      throws IOException {
    return open(where, type, rows, columns, true);
  }

  /**
   * Opens the file that another process has created and not yet completed.
   *
   * @throws IllegalArgumentException if it was created for another type or shape
   * @throws IOException if it is not there, or cannot be written; the message says which file, and
   *     why
   */
  public static MatrixWriter join(String where, DType type, long rows, long columns)
      throws IOException {
    return open(where, type, rows, columns, false);
  }

  private static MatrixWriter open(
      String where, DType type, long rows, long columns, boolean create) throws IOException {
    Place place = Place.parse(where);
    long bytes = bytes(where, type, rows, columns);
    byte[] header = place.format().header(place.name(), type, rows, columns);
    long length = header.length + bytes;
    PartialFile file =
        create
            ? PartialFile.create(place.file(), header, length)
            : PartialFile.join(place.file(), header, length);
    return new MatrixWriter(file, header.length, type, rows, columns);
  }

  private static long bytes(String where, DType type, long rows, long columns) {
    // Half of what a long can count leaves room for the header.
    long most = Long.MAX_VALUE / 2 / type.bytes();
    if (rows < 0 || columns < 0 || (columns > 0 && rows > most / columns)) {
      throw new IllegalArgumentException(
          "%s: no file can hold %d x %d %s".formatted(where, rows, columns, type));
    }
    return rows * columns * type.bytes();
  }

  /**
   * Writes a part of the matrix. Parts that have all its columns go fastest, then those with few
   * long rows.
   *
   * @param firstRow the row of the matrix in which the first row of {@code part} is
   * @param firstColumn the column of the matrix in which the first column of {@code part} is
   * @param part of the same type; nothing is converted
   * @throws IllegalArgumentException if it is of another type, or is not within the matrix
   * @throws IllegalStateException if this is closed or completed
   * @throws IOException if it cannot be written, as on a full disk; the message says which file
   */
  public void write(long firstRow, long firstColumn, Matrix part) throws IOException {
    check(firstRow, firstColumn, part);
    if (part.rows() == 0 || part.columns() == 0) {
      return;
    }
    long start = dataBegin + (firstRow * columns + firstColumn) * type.bytes();
    if (part.columns() < columns) {
      writeRows(start, part);
    } else if (part.stride() == columns) {
      file.write(start, part.memory());
    } else {
      writePacked(start, part);
    }
  }

  private void check(long firstRow, long firstColumn, Matrix part) {
    if (part.type() != type) {
      throw new IllegalArgumentException(
          "%s: the matrix has type %s, the part has type %s: convert it first, with Matrix.copyFrom"
              .formatted(file, type, part.type()));
    }
    if (firstRow < 0
        || firstColumn < 0
        || firstRow > rows - part.rows()
        || firstColumn > columns - part.columns()) {
      throw new IllegalArgumentException(
          "%s: a part of %d x %d at row %d and column %d is not within %d x %d"
              .formatted(file, part.rows(), part.columns(), firstRow, firstColumn, rows, columns));
    }
  }

  /** Others write what is between the rows in the file, so each is a write of its own. */
  private void writeRows(long start, Matrix part) throws IOException {
    MemorySegment memory = part.memory();
    long rowBytes = part.columns() * type.bytes();
    for (long row = 0; row < part.rows(); row++) {
      MemorySegment bytes = memory.asSlice(row * part.stride() * type.bytes(), rowBytes);
      file.write(start + row * columns * type.bytes(), bytes);
    }
  }

  /** There are no gaps between the rows in the file, but there are in memory. */
  private void writePacked(long start, Matrix part) throws IOException {
    long rowBytes = columns * type.bytes();
    long most = Positional.MOST_BYTES / rowBytes;
    if (most < 2) {
      writeRows(start, part);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      Matrix buffer = Matrix.allocate(type, Math.min(most, part.rows()), columns, arena);
      for (long first = 0; first < part.rows(); first += buffer.rows()) {
        long count = Math.min(buffer.rows(), part.rows() - first);
        Matrix packed = buffer.rows(0, count).copyFrom(part.rows(first, first + count));
        file.write(start + first * rowBytes, packed.memory());
      }
    }
  }

  /**
   * Gives the file its name, once all that was written is on the disk, and closes this. For the
   * process that created it, after all others have closed theirs.
   *
   * @throws IllegalStateException if this has joined, or is closed or completed
   * @throws IOException if that cannot be done, or another writer has taken the file's place
   */
  public void complete() throws IOException {
    file.complete();
  }

  /** The file while it is written. */
  @Override
  public String toString() {
    return file.toString();
  }

  /**
   * Ends writing. Who has joined finds what it wrote on the disk afterwards; who has created the
   * file and not completed it removes it.
   *
   * @throws IOException if what was written did not reach the disk
   */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
