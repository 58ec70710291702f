// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.List;

/**
 * Matrix to be gathered, and the capacity for it.
 *
 * @param rowBytes bytes in a row of A
 * @param columnBytes if A is gathered along columns, the bytes of a row that each rank gives, in
 *     the order of ranks; empty if it is gathered along rows
 * @param keepsGathered whether A is wanted in one piece
 * @param capacity the workspace's
 */
public record GatherProblem(
    long rowBytes, List<Long> columnBytes, boolean keepsGathered, Capacity capacity) {
  public GatherProblem {
    columnBytes = List.copyOf(columnBytes);
    if (rowBytes < 0 || rowBytes > capacity.maxRowBytes()) {
      throw new IllegalArgumentException(
          "cannot gather rows of %d bytes in a workspace for rows of %d"
              .formatted(rowBytes, capacity.maxRowBytes()));
    }
  }

  /** Rows of A come from one rank each. */
  public static GatherProblem alongRows(long rowBytes, Capacity capacity) {
    return new GatherProblem(rowBytes, List.of(), false, capacity);
  }

  /** Every rank gives some columns of each row of A. */
  public static GatherProblem alongColumns(List<Long> columnBytes, Capacity capacity) {
    long rowBytes = columnBytes.stream().mapToLong(Long::longValue).sum();
    return new GatherProblem(rowBytes, columnBytes, false, capacity);
  }

  /** The same with A wanted in one piece. */
  public GatherProblem keepingGathered() {
    return new GatherProblem(rowBytes, columnBytes, true, capacity);
  }

  /** Whether every rank gives some columns of each row. */
  public boolean isAlongColumns() {
    return !columnBytes.isEmpty();
  }
}
