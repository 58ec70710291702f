// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of A, and who gives which of them.
 *
 * @param columns the columns of A
 * @param columnsPerRank the columns that each rank gives of every row; null if each row comes whole
 *     from one rank
 */
public record Shape(long columns, @Nullable List<Long> columnsPerRank) {
  public static Shape alongRows(long columns) {
    return new Shape(columns, null);
  }

  /** What is wrong with the counts is said by {@link #check}, when all ranks hear of it. */
  public static Shape alongColumns(List<Long> columnsPerRank) {
    long sum = 0;
    for (long columns : columnsPerRank) {
      // Too large a sum stays too large.
      sum = sum < 0 ? sum : sum + columns;
    }
    return new Shape(sum < 0 ? Long.MAX_VALUE : sum, List.copyOf(columnsPerRank));
  }

  public boolean isAlongColumns() {
    return columnsPerRank != null;
  }

  /** The columns that a rank gives. */
  public long columnsOf(int rank) {
    return columnsPerRank == null ? columns : columnsPerRank.get(rank);
  }

  public void check(int ranks, long maxColumns) {
    if (columnsPerRank != null && columnsPerRank.size() != ranks) {
      throw new IllegalArgumentException(
          "an operator along columns needs a column count for each of the %d ranks of the group, not %s"
              .formatted(ranks, columnsPerRank));
    }
    if (columnsPerRank != null && columnsPerRank.stream().anyMatch(c -> c < 0)) {
      throw new IllegalArgumentException(
          "a rank cannot give a negative number of columns: " + columnsPerRank);
    }
    if (columns < 0 || columns > maxColumns) {
      throw new IllegalArgumentException(
          "A cannot have %s; the workspace was opened for up to %d".formatted(this, maxColumns));
    }
  }

  /**
   * The problem of gathering rows.
   *
   * @param rowBytes of a whole row
   * @param elementBytes of an element of a row of which ranks give parts
   */
  public GatherProblem problem(long rowBytes, int elementBytes, Capacity capacity) {
    return columnsPerRank != null
        ? GatherProblem.alongColumns(
            columnsPerRank.stream().map(c -> c * elementBytes).toList(), capacity)
        : GatherProblem.alongRows(rowBytes, capacity);
  }

  @Override
  public String toString() {
    return columnsPerRank != null
        ? "%d columns %s".formatted(columns, columnsPerRank)
        : "%d columns".formatted(columns);
  }
}
