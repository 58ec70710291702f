// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.matrix.DType;
import java.util.function.LongSupplier;

/**
 * Descriptions of what a product reads and writes. In int8 all are batches of one matrix, which is
 * how oneDNN likes them.
 */
final class Operands implements AutoCloseable {
  private static final int DIMENSIONS = 2;
  private static final int INT8_DIMENSIONS = 3;

  private final DnnlObjects objects;
  private final boolean int8;
  private final long[] made = new long[5];
  private int count;
  private final long a;
  private final long b;
  private final long c;
  private final long columns;
  private final long rowScales;

  private Operands(
      DnnlObjects objects,
      DType type,
      long inputs,
      long outputs,
      MatmulSpec spec,
      LongSupplier weights) {
    this.objects = objects;
    this.int8 = type == DType.I8;
    try {
      this.a = made(describe(type, spec.rows(), inputs, spec.inputStride()));
      this.b = made(weights.getAsLong());
      this.c = made(describe(spec.output(), spec.rows(), outputs, spec.outputStride()));
      if (int8) {
        this.columns = made(objects.describeVector(DType.F32, outputs));
        this.rowScales = made(describe(DType.F32, spec.rows(), 1, 1));
      } else {
        this.columns = spec.bias() ? made(describe(DType.F32, 1, outputs, outputs)) : 0;
        this.rowScales = 0;
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** With weights as they are packed. */
  static Operands of(DnnlObjects objects, NativeLayout weights, MatmulSpec spec) {
    return new Operands(
        objects,
        weights.type(),
        weights.inputs(),
        weights.outputs(),
        spec,
        () -> objects.cloneDescription(weights.description()));
  }

  /** With weights whose layout oneDNN is to choose. */
  static Operands ofAnyLayout(
      DnnlObjects objects, DType type, long inputs, long outputs, MatmulSpec spec) {
    return new Operands(
        objects,
        type,
        inputs,
        outputs,
        spec,
        () -> objects.describeAny(dimensions(type), type, inputs, outputs));
  }

  /** How many dimensions the matrices of a product have. */
  static int dimensions(DType type) {
    return type == DType.I8 ? INT8_DIMENSIONS : DIMENSIONS;
  }

  private long describe(DType type, long rows, long columns, long stride) {
    return objects.describe(int8 ? INT8_DIMENSIONS : DIMENSIONS, type, rows, columns, stride, 1);
  }

  private long made(long description) {
    made[count++] = description;
    return description;
  }

  boolean isInt8() {
    return int8;
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

  /** What the columns have: a scale each in int8, else the bias, or 0. */
  long columns() {
    return columns;
  }

  /** The scales of the rows in int8, else 0. */
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
