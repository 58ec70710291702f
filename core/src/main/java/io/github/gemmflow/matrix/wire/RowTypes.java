// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix.wire;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.RowFormat;

/**
 * Types of rows: of their elements, and the one in which they travel, which is the same or, for
 * reals, {@link DType#I8} in blocks.
 */
public record RowTypes(DType type, DType wire) {
  public RowTypes {
    if (wire != type && (wire.isReal() || !type.isReal())) {
      throw new IllegalArgumentException(
          "rows of %s travel as they are%s, not as %s"
              .formatted(type, type.isReal() ? ", or as I8" : "", wire));
    }
  }

  /** Whether they travel in another type than that of their elements. */
  public boolean differ() {
    return wire != type;
  }

  /** The format of rows of so many columns. */
  public RowFormat format(long columns) {
    return new RowFormat(wire, columns, differ());
  }

  /** Throws if rows cannot be read and written where they lie. */
  public void checkInPlace() {
    if (differ()) {
      throw new IllegalStateException(
          "rows of %s are stored as %s in blocks: pass them to write(...), and read them from the output of an AllGather"
              .formatted(type, wire));
    }
  }

  /** Throws if ranks cannot give columns of rows. */
  public void checkAlongColumns() {
    if (!wire.isReal()) {
      throw new IllegalArgumentException(
          "rows of %s cannot be gathered along columns: the scale of a row is known only after all of its columns have arrived; gather BF16 or F32"
              .formatted(wire));
    }
  }

  @Override
  public String toString() {
    return differ() ? type + " that travels as " + wire : type.toString();
  }
}
