// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import io.github.gemmflow.files.MatrixFile;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.Shards;
import java.io.IOException;

/** Inputs of one rank, as views on mapped files. */
final class RankInputs implements AutoCloseable {
  private final MatrixFile aFile;
  private final MatrixFile bFile;
  private final Matrix a;
  private final Matrix b;
  private final WeightLayout layout;

  private RankInputs(Inputs inputs, int rank, int ranks, MatrixFile aFile, MatrixFile bFile) {
    this.aFile = aFile;
    this.bFile = bFile;
    this.layout = inputs.layout();
    Matrix allOfA = aFile.matrix();
    this.a = inputs.a().isPerRank() ? allOfA : share(allOfA, inputs.alongColumns(), rank, ranks);
    Matrix allOfB = bFile.matrix();
    this.b =
        inputs.b().isPerRank() || inputs.whole()
            ? allOfB
            : share(allOfB, layout == WeightLayout.IN_OUT, rank, ranks);
    boolean fits = inputs.alongColumns() || a.columns() == k();
    if (a.type() != b.type() || !fits) {
      throw new IllegalArgumentException(
          "%s is %s and %s is %s: both need the same type, and B (%s) as many %s as A has columns"
              .formatted(
                  inputs.a().of(rank),
                  allOfA,
                  inputs.b().of(rank),
                  allOfB,
                  layout == WeightLayout.IN_OUT ? "in x out" : "out x in",
                  layout == WeightLayout.IN_OUT ? "rows" : "columns"));
    }
  }

  /**
   * Opens the files of a rank.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one holds what cannot be multiplied
   */
  static RankInputs open(Inputs inputs, int rank, int ranks) throws IOException {
    MatrixFile aFile = MatrixFile.open(inputs.a().of(rank));
    try {
      MatrixFile bFile = MatrixFile.open(inputs.b().of(rank));
      try {
        return new RankInputs(inputs, rank, ranks, aFile, bFile);
      } catch (RuntimeException e) {
        bFile.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      aFile.close();
      throw e;
    }
  }

  /** A rank's columns or rows of a matrix. */
  private static Matrix share(Matrix all, boolean columns, int rank, int ranks) {
    Shards shards = Shards.of(columns ? all.columns() : all.rows(), ranks);
    long from = shards.begin(rank);
    long to = shards.begin(rank + 1);
    return columns ? all.columns(from, to) : all.rows(from, to);
  }

  /** This rank's rows of A, or its columns. */
  Matrix a() {
    return a;
  }

  /** This rank's columns of B, as they are stored. */
  Matrix b() {
    return b;
  }

  /** Rows of B. */
  long k() {
    return layout == WeightLayout.IN_OUT ? b.rows() : b.columns();
  }

  /** Columns of B. */
  long n() {
    return layout == WeightLayout.IN_OUT ? b.columns() : b.rows();
  }

  @Override
  public void close() {
    bFile.close();
    aFile.close();
  }
}
