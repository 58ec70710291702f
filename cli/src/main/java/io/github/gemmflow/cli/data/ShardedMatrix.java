// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixFile;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A matrix for reading, in one file or in a file of each rank, side by side or one below another.
 */
public final class ShardedMatrix implements AutoCloseable {
  private final List<MatrixFile> files = new ArrayList<>();
  private final List<Matrix> parts = new ArrayList<>();
  private final boolean sideBySide;
  private final Where where;

  private ShardedMatrix(Where where, boolean sideBySide) throws IOException {
    this.where = where;
    this.sideBySide = sideBySide;
    int count = where.isPerRank() ? Math.max(1, where.count()) : 1;
    try {
      for (int rank = 0; rank < count; rank++) {
        add(where.of(rank));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Files of ranks that are rows of the matrix. */
  public static ShardedMatrix ofRows(Where where) throws IOException {
    return new ShardedMatrix(where, false);
  }

  /** Files of ranks that are columns of the matrix. */
  public static ShardedMatrix ofColumns(Where where) throws IOException {
    return new ShardedMatrix(where, true);
  }

  private void add(String file) throws IOException {
    files.add(MatrixFile.open(file));
    Matrix part = files.getLast().matrix();
    Matrix first = parts.isEmpty() ? part : parts.getFirst();
    boolean fits = sideBySide ? part.rows() == first.rows() : part.columns() == first.columns();
    if (!fits || part.type() != first.type()) {
      throw new IllegalArgumentException(
          "%s is %s, which does not match %s of rank 0, %s: all files of one matrix need the same type and number of %s"
              .formatted(file, part, first, where.of(0), sideBySide ? "rows" : "columns"));
    }
    parts.add(part);
  }

  /** How many files there are. */
  public int count() {
    return parts.size();
  }

  public DType type() {
    return parts.getFirst().type();
  }

  public long rows() {
    return sideBySide ? parts.getFirst().rows() : parts.stream().mapToLong(Matrix::rows).sum();
  }

  public long columns() {
    return sideBySide
        ? parts.stream().mapToLong(Matrix::columns).sum()
        : parts.getFirst().columns();
  }

  /** All elements of a row. */
  public float[] row(long row) {
    float[] values = new float[Math.toIntExact(columns())];
    int next = 0;
    long inPart = row;
    for (Matrix part : parts) {
      if (!sideBySide && inPart >= part.rows()) {
        inPart -= part.rows();
        continue;
      }
      for (long column = 0; column < part.columns(); column++) {
        values[next++] = part.get(inPart, column);
      }
      if (!sideBySide) {
        break;
      }
    }
    return values;
  }

  /** Which file a column is in, if they are side by side. */
  int fileOf(long column) {
    int file = 0;
    long inPart = column;
    while (sideBySide && inPart >= parts.get(file).columns()) {
      inPart -= parts.get(file++).columns();
    }
    return file;
  }

  /** The name of a file. */
  String file(int number) {
    return where.of(number);
  }

  /** Which element of which file that is. */
  String name(long row, long column) {
    long rowInPart = row;
    long columnInPart = column;
    for (int i = 0; i < parts.size(); i++) {
      Matrix part = parts.get(i);
      if (rowInPart < part.rows() && columnInPart < part.columns()) {
        return "%s: element [%d, %d]".formatted(where.of(i), rowInPart, columnInPart);
      }
      rowInPart -= sideBySide ? 0 : part.rows();
      columnInPart -= sideBySide ? part.columns() : 0;
    }
    throw new IndexOutOfBoundsException("[%d, %d] of %s".formatted(row, column, this));
  }

  /** Its shape and type. */
  public String shape() {
    return "%d x %d %s".formatted(rows(), columns(), type());
  }

  @Override
  public String toString() {
    return "%s (%s)".formatted(where, shape());
  }

  @Override
  public void close() {
    files.forEach(MatrixFile::close);
  }
}
