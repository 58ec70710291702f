// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixWriter;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.Progress;
import java.io.IOException;
import java.util.Arrays;

/** Destination of one matrix that all ranks write: one file, or one of each rank. */
final class Output {
  private static final long BAND_BYTES = 16 << 20;

  private final Where where;
  private final long[] columns;

  /**
   * An output.
   *
   * @param columns how many each rank has
   */
  Output(Where where, long[] columns) {
    this.where = where;
    this.columns = columns;
  }

  /** Writes this rank's part; files appear when all ranks have written theirs. Collective. */
  void write(int rank, Matrix part, CollectiveTask task, Progress progress) throws IOException {
    boolean creates = where.isPerRank() || rank == 0;
    long first = where.isPerRank() ? 0 : Arrays.stream(columns, 0, rank).sum();
    long all = where.isPerRank() ? part.columns() : Arrays.stream(columns).sum();
    String file = where.of(rank);
    if (creates) {
      try (MatrixWriter writer =
          task.open(() -> MatrixWriter.create(file, part.type(), part.rows(), all))) {
        task.run(() -> write(writer, part, first, progress));
        task.run(writer::complete);
      }
    } else {
      task.run(() -> {});
      task.run(
          () -> {
            try (MatrixWriter writer = MatrixWriter.join(file, part.type(), part.rows(), all)) {
              write(writer, part, first, progress);
            }
          });
      task.run(() -> {});
    }
  }

  private static void write(MatrixWriter writer, Matrix part, long firstColumn, Progress progress)
      throws IOException {
    long rowBytes = Math.max(1, part.columns() * part.type().bytes());
    long band = Math.max(1, BAND_BYTES / rowBytes);
    for (long row = 0; row < part.rows(); row += band) {
      progress.at("writing", row * rowBytes, part.rows() * rowBytes, Progress.Unit.BYTES);
      writer.write(row, firstColumn, part.rows(row, Math.min(part.rows(), row + band)));
    }
  }
}
