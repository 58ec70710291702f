// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.MemorySegment;

/** An int8 product of one height, with scales of rows and columns. */
final class NativeInt8Matmul implements Dnnl.Int8Matmul {
  private static final int MOST_ARGUMENTS = 6;

  private final DnnlObjects objects;
  private final long a;
  private final long b;
  private final long c;
  private final long rowScales;
  private final long columnScales;
  private final long description;
  private final long primitive;
  private final String implementation;

  NativeInt8Matmul(
      DnnlObjects objects,
      NativeLayout weights,
      long rows,
      long inputStride,
      long outputStride,
      boolean adds,
      Activation activation) {
    this.objects = objects;
    long outputs = weights.outputs();
    this.a = objects.describeBatch(DType.I8, rows, weights.inputs(), inputStride, 1);
    this.b = objects.cloneDescription(weights.description());
    this.c = objects.describeBatch(DType.F32, rows, outputs, outputStride, 1);
    this.rowScales = objects.describeBatch(DType.F32, rows, 1, 1, 1);
    this.columnScales = objects.describeVector(DType.F32, outputs);
    this.description = objects.describeInt8Matmul(a, b, c, rowScales, adds, activation);
    this.primitive = objects.newPrimitive(description);
    this.implementation = objects.implementation(description);
  }

  @Override
  public String implementation() {
    return implementation;
  }

  @Override
  public long scratchBytes() {
    return objects.bytes(objects.query(description, Abi.QUERY_SCRATCHPAD));
  }

  @Override
  public Dnnl.Int8Call newCall(MemorySegment scratch) {
    return new NativeCall(scratch);
  }

  @Override
  public void close() {
    objects.destroyPrimitive(primitive);
    objects.destroyPrimitiveDescription(description);
    for (long made : new long[] {a, b, c, rowScales, columnScales}) {
      objects.destroyDescription(made);
    }
  }

  private final class NativeCall implements Dnnl.Int8Call {
    private final Arguments arguments = new Arguments(objects, MOST_ARGUMENTS);
    private final int aIndex = arguments.add(Abi.ARG_SOURCE, a);
    private final int bIndex = arguments.add(Abi.ARG_WEIGHTS, b);
    private final int cIndex = arguments.add(Abi.ARG_DESTINATION, c);
    private final int columnsIndex = arguments.add(Abi.ARG_WEIGHT_SCALES, columnScales);
    private final int rowsIndex = arguments.add(Abi.ARG_FIRST_POST_OPERATION, rowScales);

    NativeCall(MemorySegment scratch) {
      int index =
          arguments.add(Abi.ARG_SCRATCHPAD, objects.query(description, Abi.QUERY_SCRATCHPAD));
      arguments.point(index, scratch.address());
    }

    @Override
    public void run(
        MemorySegment a,
        long aAt,
        long rowScalesAt,
        long weightsAt,
        long columnScalesAt,
        MemorySegment c,
        long cAt) {
      arguments.point(aIndex, aAt);
      arguments.point(rowsIndex, rowScalesAt);
      arguments.point(bIndex, weightsAt);
      arguments.point(columnsIndex, columnScalesAt);
      arguments.point(cIndex, cAt);
      arguments.execute(primitive, a, c);
    }

    @Override
    public void close() {
      arguments.close();
    }
  }
}
