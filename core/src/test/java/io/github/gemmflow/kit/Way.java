// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.AllGather;
import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.GatherOperator;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Step;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.tuning.Storage;
import io.github.gemmflow.tuning.Tuning;
import java.util.Arrays;
import java.util.List;

/**
 * How A comes together: what may be tuned, and who gives which columns.
 *
 * @param columnsPerRank the columns of each rank; empty if A is gathered along rows
 */
public record Way(Tuning tuning, List<Long> columnsPerRank) {
  /** Along rows. */
  public static Way alongRows(Tuning tuning) {
    return new Way(tuning, List.of());
  }

  /** Along rows or columns. */
  public static Way draw(Draw draw, int ranks, long columns, Tuning tuning) {
    long[] widths = draw.columns(ranks, columns);
    return draw.chance(0.4)
        ? new Way(tuning, Arrays.stream(widths).boxed().toList())
        : alongRows(tuning);
  }

  public boolean isAlongColumns() {
    return !columnsPerRank.isEmpty();
  }

  public boolean isStreamed() {
    return tuning.storage() == Storage.STREAMED;
  }

  private long[] widths() {
    return columnsPerRank.stream().mapToLong(Long::longValue).toArray();
  }

  public AllGatherMatmul.Builder on(AllGatherMatmul.Builder builder) {
    builder.tuning(tuning);
    return isAlongColumns() ? builder.columnsPerRank(widths()) : builder;
  }

  public AllGather.Builder on(AllGather.Builder builder, long columns) {
    builder.tuning(tuning);
    return isAlongColumns() ? builder.columnsPerRank(widths()) : builder.columns(columns);
  }

  /** Begins a step of so many rows in all. */
  public Step begin(GatherOperator operator, long[] rowsPerRank) {
    return operator.begin(
        isAlongColumns()
            ? RowCounts.mine(Arrays.stream(rowsPerRank).sum())
            : RowCounts.known(rowsPerRank));
  }

  /** Fills a rank's input with its part of the matrix of a seed. */
  public void fill(Step step, long seed, int rank) {
    Matrix input = step.input();
    Exact.fill(input, seed, step.firstRow(), firstColumn(rank));
    if (!input.type().isReal()) {
      step.inputScales().fill(1);
    }
  }

  /** The first column of A that a rank gives. */
  public long firstColumn(int rank) {
    return columnsPerRank.stream().limit(rank).mapToLong(Long::longValue).sum();
  }
}
