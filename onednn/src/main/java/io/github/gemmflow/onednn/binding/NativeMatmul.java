// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.MemorySegment;

/** A product of one height. */
final class NativeMatmul implements Dnnl.Matmul {
  private static final int MOST_ARGUMENTS = 5;

  /** How the names of implementations begin that keep to the threads they were made for. */
  private static final String KEEPS_THREADS = "brg";

  private final DnnlObjects objects;
  private final OpenMp openMp;
  private final long a;
  private final long b;
  private final long bias;
  private final long c;
  private final long description;
  private final long primitive;
  private final String implementation;

  NativeMatmul(
      DnnlObjects objects,
      OpenMp openMp,
      NativeLayout weights,
      long rows,
      DType output,
      long outputStride,
      boolean hasBias,
      Activation activation) {
    this.objects = objects;
    this.openMp = openMp;
    long inputs = weights.inputs();
    long outputs = weights.outputs();
    this.a = objects.describe(weights.type(), rows, inputs, inputs, 1);
    this.b = objects.cloneDescription(weights.description());
    this.bias = hasBias ? objects.describe(DType.F32, 1, outputs, outputs, 1) : 0;
    this.c = objects.describe(output, rows, outputs, outputStride, 1);
    this.description = objects.describeMatmul(a, b, bias, c, activation);
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
  public Dnnl.Call newCall(MemorySegment scratch) {
    return new NativeCall(scratch);
  }

  @Override
  public void close() {
    objects.destroyPrimitive(primitive);
    objects.destroyPrimitiveDescription(description);
    objects.destroyDescription(a);
    objects.destroyDescription(b);
    objects.destroyDescription(c);
    if (bias != 0) {
      objects.destroyDescription(bias);
    }
  }

  private final class NativeCall implements Dnnl.Call {
    private final Arguments arguments = new Arguments(objects, MOST_ARGUMENTS);
    private final int aIndex = arguments.add(Abi.ARG_SOURCE, a);
    private final int bIndex = arguments.add(Abi.ARG_WEIGHTS, b);
    private final int cIndex = arguments.add(Abi.ARG_DESTINATION, c);
    private final int biasIndex;

    NativeCall(MemorySegment scratch) {
      int index =
          arguments.add(Abi.ARG_SCRATCHPAD, objects.query(description, Abi.QUERY_SCRATCHPAD));
      arguments.point(index, scratch.address());
      biasIndex = bias == 0 ? -1 : arguments.add(Abi.ARG_BIAS, bias);
    }

    @Override
    public void run(
        MemorySegment a, long aAt, long weightsAt, long biasAt, MemorySegment c, long cAt) {
      arguments.point(aIndex, aAt);
      arguments.point(bIndex, weightsAt);
      arguments.point(cIndex, cAt);
      if (biasIndex >= 0) {
        arguments.point(biasIndex, biasAt);
      }
      if (implementation.startsWith(KEEPS_THREADS)) {
        arguments.execute(primitive, a, c);
      } else {
        openMp.withOneThread(
            () -> {
              arguments.execute(primitive, a, c);
              return true;
            });
      }
    }

    @Override
    public void close() {
      arguments.close();
    }
  }
}
