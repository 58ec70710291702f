// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.MemorySegment;

/** The layout that a tall product of this width likes best. */
final class NativeLayout implements Dnnl.Layout {
  /** Tall enough for oneDNN not to think of a product of few rows. */
  private static final long TALL = 1024;

  private final DnnlObjects objects;
  private final OpenMp openMp;
  private final DType rowType;
  private final DType type;
  private final long inputs;
  private final long outputs;
  private final long description;
  private final long bytes;

  NativeLayout(
      DnnlObjects objects, OpenMp openMp, DType rowType, DType type, long inputs, long outputs) {
    this.objects = objects;
    this.openMp = openMp;
    this.rowType = rowType;
    this.type = type;
    this.inputs = inputs;
    this.outputs = outputs;
    this.description = openMp.withOneThread(this::choose);
    this.bytes = objects.bytes(description);
  }

  private long choose() {
    MatmulSpec tall = new MatmulSpec(TALL, inputs, DType.F32, outputs, false, Activation.NONE);
    try (Operands operands = Operands.ofAnyLayout(objects, rowType, type, inputs, outputs, tall)) {
      long matmul = objects.describeMatmul(operands, tall);
      try {
        return objects.cloneDescription(objects.query(matmul, Abi.QUERY_WEIGHTS));
      } finally {
        objects.destroyPrimitiveDescription(matmul);
      }
    }
  }

  long description() {
    return description;
  }

  @Override
  public DType rowType() {
    return rowType;
  }

  @Override
  public DType type() {
    return type;
  }

  @Override
  public long inputs() {
    return inputs;
  }

  @Override
  public long outputs() {
    return outputs;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void pack(
      MemorySegment source, long inputStride, long outputStride, MemorySegment target) {
    long plain =
        objects.describe(
            Operands.dimensions(rowType), type, inputs, outputs, inputStride, outputStride);
    try (Arguments arguments = new Arguments(objects, 2)) {
      arguments.point(arguments.add(Abi.ARG_SOURCE, plain), source.address());
      arguments.point(arguments.add(Abi.ARG_DESTINATION, description), target.address());
      openMp.withOneThread(
          () -> {
            reorder(plain, arguments, source, target);
            return true;
          });
    } finally {
      objects.destroyDescription(plain);
    }
  }

  private void reorder(
      long plain, Arguments arguments, MemorySegment source, MemorySegment target) {
    long reorder = objects.describeReorder(plain, description);
    try {
      long primitive = objects.newPrimitive(reorder);
      try {
        arguments.execute(primitive, source, target);
      } finally {
        objects.destroyPrimitive(primitive);
      }
    } finally {
      objects.destroyPrimitiveDescription(reorder);
    }
  }

  @Override
  public void close() {
    objects.destroyDescription(description);
  }
}
