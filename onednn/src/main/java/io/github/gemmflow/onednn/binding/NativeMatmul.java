// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import java.lang.foreign.MemorySegment;

/** A product of one height. */
final class NativeMatmul implements Dnnl.Matmul {
  private static final int MOST_ARGUMENTS = 6;

  /** How the names of implementations begin that keep to the threads they were made for. */
  private static final String KEEPS_THREADS = "brg";

  private final DnnlObjects objects;
  private final OpenMp openMp;
  private final Operands operands;
  private final String implementation;
  private final long scratchBytes;
  private long description;
  private long primitive;

  NativeMatmul(DnnlObjects objects, OpenMp openMp, NativeLayout weights, MatmulSpec spec) {
    this.objects = objects;
    this.openMp = openMp;
    this.operands = Operands.of(objects, weights, spec);
    try {
      this.description = objects.describeMatmul(operands, spec);
      this.primitive = objects.newPrimitive(description);
      this.implementation = objects.implementation(description);
      this.scratchBytes = objects.bytes(objects.query(description, Abi.QUERY_SCRATCHPAD));
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public String implementation() {
    return implementation;
  }

  @Override
  public long scratchBytes() {
    return scratchBytes;
  }

  @Override
  public Dnnl.Call newCall(MemorySegment scratch) {
    return new NativeCall(scratch);
  }

  @Override
  public void close() {
    if (primitive != 0) {
      objects.destroyPrimitive(primitive);
    }
    if (description != 0) {
      objects.destroyPrimitiveDescription(description);
    }
    operands.close();
  }

  private final class NativeCall implements Dnnl.Call {
    private static final int NONE = -1;

    private final Arguments arguments = new Arguments(objects, MOST_ARGUMENTS);
    private final int aIndex = arguments.add(Abi.ARG_SOURCE, operands.a());
    private final int bIndex = arguments.add(Abi.ARG_WEIGHTS, operands.b());
    private final int cIndex = arguments.add(Abi.ARG_DESTINATION, operands.c());
    private final int biasIndex = addOrNone(Abi.ARG_BIAS, operands.bias());
    private final int columnScalesIndex = addOrNone(Abi.ARG_WEIGHT_SCALES, operands.columnScales());
    private final int rowScalesIndex =
        addOrNone(Abi.ARG_FIRST_POST_OPERATION, operands.rowScales());

    NativeCall(MemorySegment scratch) {
      long described = objects.query(description, Abi.QUERY_SCRATCHPAD);
      arguments.point(arguments.add(Abi.ARG_SCRATCHPAD, described), scratch.address());
    }

    private int addOrNone(int what, long described) {
      return described == 0 ? NONE : arguments.add(what, described);
    }

    private void pointUnlessNone(int index, long address) {
      if (index != NONE) {
        arguments.point(index, address);
      }
    }

    @Override
    public void run(
        MemorySegment a,
        long aAt,
        long rowScalesAt,
        long weightsAt,
        long columnScalesAt,
        long biasAt,
        MemorySegment c,
        long cAt) {
      arguments.point(aIndex, aAt);
      arguments.point(bIndex, weightsAt);
      arguments.point(cIndex, cAt);
      pointUnlessNone(biasIndex, biasAt);
      pointUnlessNone(columnScalesIndex, columnScalesAt);
      pointUnlessNone(rowScalesIndex, rowScalesAt);
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
