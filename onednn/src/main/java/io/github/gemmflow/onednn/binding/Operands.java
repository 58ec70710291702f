// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.matrix.DType;
import java.util.function.LongSupplier;

/**
 * Descriptions of what a product reads and writes. If rows are in int8, all are batches of one
 * matrix, which is how oneDNN likes them.
 */
final class Operands implements AutoCloseable {
  private static final int DIMENSIONS = 2;
  private static final int INT8_DIMENSIONS = 3;

  private final DnnlObjects objects;
  private final int dimensions;
  private final long[] made = new long[5];
  private int count;
  private final long a;
  private final long b;
  private final long c;
  private final long bias;
  private final long columnScales;
  private final long rowScales;

  private Operands(
      DnnlObjects objects,
      DType rowType,
      DType type,
      long inputs,
      long outputs,
      MatmulSpec spec,
      LongSupplier weights) {
    this.objects = objects;
    this.dimensions = dimensions(rowType);
    try {
      this.a = made(describe(rowType, spec.rows(), inputs, spec.inputStride()));
      this.b = made(weights.getAsLong());
      this.c = made(describe(spec.output(), spec.rows(), outputs, spec.outputStride()));
      boolean biasApart = spec.bias() && !isInt8();
      this.bias = biasApart ? made(describe(DType.F32, 1, outputs, outputs)) : 0;
      this.columnScales = type == DType.I8 ? made(objects.describeVector(DType.F32, outputs)) : 0;
      this.rowScales = isInt8() ? made(describe(DType.F32, spec.rows(), 1, 1)) : 0;
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** With weights as they are packed. */
  static Operands of(DnnlObjects objects, NativeLayout weights, MatmulSpec spec) {
    return new Operands(
        objects,
        weights.rowType(),
        weights.type(),
        weights.inputs(),
        weights.outputs(),
        spec,
        () -> objects.cloneDescription(weights.description()));
  }

  /** With weights whose layout oneDNN is to choose. */
  static Operands ofAnyLayout(
      DnnlObjects objects, DType rowType, DType type, long inputs, long outputs, MatmulSpec spec) {
    return new Operands(
        objects,
        rowType,
        type,
        inputs,
        outputs,
        spec,
        () -> objects.describeAny(dimensions(rowType), type, inputs, outputs));
  }

  /** How many dimensions the matrices of a product of such rows have. */
  static int dimensions(DType rowType) {
    return rowType == DType.I8 ? INT8_DIMENSIONS : DIMENSIONS;
  }

  private long describe(DType type, long rows, long columns, long stride) {
    return objects.describe(dimensions, type, rows, columns, stride, 1);
  }

  private long made(long description) {
    made[count++] = description;
    return description;
  }

  /** Whether rows and weights are both in int8. */
  boolean isInt8() {
    return dimensions == INT8_DIMENSIONS;
  }

  /** The mask of scales that differ from column to column. */
  int columnMask() {
    return 1 << (dimensions - 1);
  }

  long a() {
    return a;
  }

  long b() {
    return b;
  }

  long c() {
    return c;
  }

  /** The bias, or 0 if there is none, or C holds it already. */
  long bias() {
    return bias;
  }

  /** The scales of the columns of weights in int8, else 0. */
  long columnScales() {
    return columnScales;
  }

  /** The scales of rows in int8, else 0. */
  long rowScales() {
    return rowScales;
  }

  @Override
  public void close() {
    while (count > 0) {
      objects.destroyDescription(made[--count]);
    }
  }
}
