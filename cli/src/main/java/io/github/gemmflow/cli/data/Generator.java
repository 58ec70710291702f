// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixFile;
import io.github.gemmflow.files.MatrixWriter;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Shards;
import io.github.gemmflow.measure.Progress;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Generator of A, B and what their product should be, the same for the same seed.
 *
 * @param format the end of the files' names
 * @param shards how many files the rows of A are spread over; 0 for one that is not numbered
 */
public record Generator(
    Path directory,
    String format,
    long m,
    long k,
    long n,
    DType type,
    Values values,
    long seed,
    int shards) {
  private static final long BAND_BYTES = 16 << 20;

  /** Rows of the golden product that are computed at a time. */
  private static final int BAND = 256;

  public Generator {
    if (m < 1 || k < 1 || n < 1) {
      throw new IllegalArgumentException(
          "a product of %d x %d x %d has nothing to multiply".formatted(m, k, n));
    }
    if (shards < 0 || shards > m) {
      throw new IllegalArgumentException(
          "%d rows of A cannot be spread over %d files".formatted(m, shards));
    }
    values.check(k);
    if (!type.isReal() && values == Values.REALS) {
      throw new IllegalArgumentException(
          "files of %s hold integers: remove --values reals, or make reals and let run round them"
              .formatted(type));
    }
  }

  /** The files of A. */
  public Where a() {
    return where(shards == 0 ? "a" : "a-{rank}");
  }

  /** The file of B, {@code k x n}. */
  public Where b() {
    return where("b");
  }

  /** The file of their product, in F32. */
  public Where golden() {
    return where("golden");
  }

  private Where where(String name) {
    return new Where(directory.resolve(name + "." + format).toString());
  }

  /** Writes all files, and checksums of them; returns what was written. */
  public List<Path> run(Progress progress) throws IOException {
    makeDirectory();
    List<Path> files = new ArrayList<>();
    int count = Math.max(1, shards);
    for (int i = 0; i < count; i++) {
      long from = Shards.of(m, count).begin(i);
      long to = Shards.of(m, count).begin(i + 1);
      files.add(write(a().of(i), 2 * seed, from, to, k, progress));
    }
    files.add(write(b().text(), 2 * seed + 1, 0, k, n, progress));
    files.add(multiply(progress));
    files.add(Checksums.write(directory, files));
    return files;
  }

  /** What was there for more ranks would be taken for a part of this. */
  private void makeDirectory() throws IOException {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new IllegalArgumentException("%s is a file, not a directory".formatted(directory));
    }
    Files.createDirectories(directory);
    Where old = where("a-{rank}");
    for (int i = old.count() - 1; i >= shards; i--) {
      Files.delete(MatrixFile.path(old.of(i)));
    }
  }

  private Path write(
      String file, long itsSeed, long fromRow, long toRow, long columns, Progress progress)
      throws IOException {
    long bytes = columns * type.bytes();
    long band = Math.clamp(BAND_BYTES / bytes, 1, Math.max(1, toRow - fromRow));
    try (Arena arena = Arena.ofConfined();
        MatrixWriter writer = MatrixWriter.create(file, type, toRow - fromRow, columns)) {
      Matrix buffer = Matrix.allocate(type, band, columns, arena);
      for (long row = fromRow; row < toRow; row += band) {
        progress.at(
            "writing " + MatrixFile.path(file).getFileName(),
            (row - fromRow) * bytes,
            (toRow - fromRow) * bytes,
            Progress.Unit.BYTES);
        Matrix rows = buffer.rows(0, Math.min(band, toRow - row));
        values.fill(rows, itsSeed, row);
        writer.write(row - fromRow, 0, rows);
      }
      writer.complete();
    }
    return MatrixFile.path(file);
  }

  private Path multiply(Progress progress) throws IOException {
    String file = golden().text();
    try (ShardedMatrix a = ShardedMatrix.ofRows(a());
        ShardedMatrix b = ShardedMatrix.ofRows(b());
        Arena arena = Arena.ofConfined();
        MatrixWriter writer = MatrixWriter.create(file, DType.F32, m, n)) {
      PlainProduct product = new PlainProduct(a, PlainProduct.read(b, WeightLayout.IN_OUT));
      Matrix buffer = Matrix.allocate(DType.F32, BAND, n, arena);
      for (long row = 0; row < m; row += BAND) {
        progress.at("the golden product", row, m, Progress.Unit.ROWS);
        double[][] sums = product.rows(row, (int) Math.min(BAND, m - row));
        writer.write(row, 0, store(sums, buffer));
      }
      writer.complete();
    }
    return MatrixFile.path(file);
  }

  private static Matrix store(double[][] sums, Matrix buffer) {
    for (int row = 0; row < sums.length; row++) {
      for (int column = 0; column < sums[row].length; column++) {
        buffer.set(row, column, (float) sums[row][column]);
      }
    }
    return buffer.rows(0, sums.length);
  }
}
