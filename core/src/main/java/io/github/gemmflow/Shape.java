// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.plan.Capacity;
import io.github.gemmflow.plan.Problem;
import java.util.List;

/**
 * The columns of A, and who gives which of them.
 *
 * @param columns the columns of A
 * @param columnsPerRank the columns that each rank gives of every row; empty if each row comes
 *     whole from one rank
 */
record Shape(long columns, List<Long> columnsPerRank) {
  static Shape alongRows(long columns) {
    return new Shape(columns, List.of());
  }

  static Shape alongColumns(List<Long> columnsPerRank) {
    return new Shape(columnsPerRank.stream().mapToLong(Long::longValue).sum(), columnsPerRank);
  }

  boolean isAlongColumns() {
    return !columnsPerRank.isEmpty();
  }

  /** The columns that a rank gives. */
  long columnsOf(int rank) {
    return isAlongColumns() ? columnsPerRank.get(rank) : columns;
  }

  void check(int ranks, long maxColumns) {
    if (columns < 0 || columns > maxColumns) {
      throw new IllegalArgumentException(
          "A cannot have %d columns; the workspace was opened for up to %d"
              .formatted(columns, maxColumns));
    }
    if (isAlongColumns() && columnsPerRank.size() != ranks) {
      throw new IllegalArgumentException(
          "an operator needs a column count for each of the %d ranks of the group, not %s"
              .formatted(ranks, columnsPerRank));
    }
    if (columnsPerRank.stream().anyMatch(c -> c < 0)) {
      throw new IllegalArgumentException(
          "a rank cannot give a negative number of columns: " + columnsPerRank);
    }
  }

  Problem problem(DType type, Capacity capacity) {
    return isAlongColumns()
        ? Problem.alongColumns(
            columnsPerRank.stream().map(c -> c * type.bytes()).toList(), capacity)
        : Problem.alongRows(columns * type.bytes(), capacity);
  }

  @Override
  public String toString() {
    return isAlongColumns()
        ? "%d columns %s".formatted(columns, columnsPerRank)
        : "%d columns".formatted(columns);
  }
}
