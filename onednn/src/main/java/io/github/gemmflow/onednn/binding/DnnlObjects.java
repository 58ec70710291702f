// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Factory of oneDNN's objects, which are longs here; it destroys them, too. */
final class DnnlObjects {
  private final Calls calls;
  private final long engine;

  DnnlObjects(Calls calls) {
    this.calls = calls;
    this.engine = calls.engineCreate(Abi.CPU, 0);
  }

  Calls calls() {
    return calls;
  }

  /**
   * Describes a matrix whose elements lie at these distances, counted in elements.
   *
   * @param dimensions 2, or 3 for a batch of one matrix
   */
  long describe(
      int dimensions, DType type, long rows, long columns, long rowStride, long columnStride) {
    try (Arena arena = Arena.ofConfined()) {
      long all = Math.max(rows * rowStride, columns * columnStride);
      return calls.memoryDescCreateWithStrides(
          dimensions,
          last(dimensions, arena, 1, rows, columns),
          Abi.type(type),
          last(dimensions, arena, all, rowStride, columnStride));
    }
  }

  /** Describes a matrix whose layout oneDNN is to choose. */
  long describeAny(int dimensions, DType type, long rows, long columns) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sizes = last(dimensions, arena, 1, rows, columns);
      return calls.memoryDescCreateWithTag(dimensions, sizes, Abi.type(type), Abi.FORMAT_ANY);
    }
  }

  private static MemorySegment last(int dimensions, Arena arena, long... values) {
    MemorySegment all = arena.allocateFrom(JAVA_LONG, values);
    return all.asSlice((long) (values.length - dimensions) * Long.BYTES);
  }

  /** Describes elements one after the other. */
  long describeVector(DType type, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sizes = arena.allocateFrom(JAVA_LONG, length);
      MemorySegment strides = arena.allocateFrom(JAVA_LONG, 1);
      return calls.memoryDescCreateWithStrides(1, sizes, Abi.type(type), strides);
    }
  }

  long cloneDescription(long description) {
    return calls.memoryDescClone(description);
  }

  long bytes(long description) {
    return calls.memoryDescGetSize(description);
  }

  void destroyDescription(long description) {
    calls.memoryDescDestroy(description);
  }

  /** Describes a product: of full precision, with scratch memory of the caller. */
  long describeMatmul(Operands operands, MatmulSpec spec) {
    long attributes = calls.attrCreate();
    try {
      calls.attrSetScratchpadMode(attributes, Abi.SCRATCHPAD_USER);
      // Whatever ONEDNN_DEFAULT_FPMATH_MODE says: F32 stays F32.
      boolean scaled = operands.columnScales() != 0;
      boolean integersAsReals = scaled && !operands.isInt8();
      calls.attrSetFpmathMode(attributes, Abi.FPMATH_STRICT, integersAsReals ? 1 : 0);
      if (scaled) {
        calls.attrSetScalesMask(attributes, Abi.ARG_WEIGHTS, operands.columnMask());
      }
      setPostOperations(attributes, operands, spec);
      return calls.matmulPrimitiveDescCreate(
          engine, operands.a(), operands.b(), operands.bias(), operands.c(), attributes);
    } finally {
      calls.attrDestroy(attributes);
    }
  }

  /** In int8 scales of rows, then what the product is added to; the activation is last. */
  private void setPostOperations(long attributes, Operands operands, MatmulSpec spec) {
    long operations = calls.postOpsCreate();
    try {
      if (operands.isInt8()) {
        calls.postOpsAppendBinary(operations, Abi.BINARY_MULTIPLY, operands.rowScales());
        if (spec.bias()) {
          calls.postOpsAppendSum(operations, 1, 0, Abi.TYPE_UNDEFINED);
        }
      }
      Activation activation = spec.activation();
      if (activation != Activation.NONE) {
        calls.postOpsAppendEltwise(operations, Abi.algorithm(activation), Abi.alpha(activation), 0);
      }
      calls.attrSetPostOps(attributes, operations);
    } finally {
      calls.postOpsDestroy(operations);
    }
  }

  long describeReorder(long from, long to) {
    return calls.reorderPrimitiveDescCreate(from, engine, to, engine, 0);
  }

  /** A description that belongs to that of a primitive. */
  long query(long primitiveDescription, int what) {
    return calls.primitiveDescQueryMd(primitiveDescription, what, 0);
  }

  /** oneDNN's name for how a primitive works. */
  @SuppressWarnings("restricted") // a C string, which ends by itself
  String implementation(long primitiveDescription) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      calls.primitiveDescQuery(primitiveDescription, Abi.QUERY_IMPLEMENTATION, 0, out);
      return out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0);
    }
  }

  void destroyPrimitiveDescription(long description) {
    calls.primitiveDescDestroy(description);
  }

  long newPrimitive(long primitiveDescription) {
    return calls.primitiveCreate(primitiveDescription);
  }

  void destroyPrimitive(long primitive) {
    calls.primitiveDestroy(primitive);
  }

  /** Memory that is to be pointed at something. */
  long newMemory(long description) {
    return calls.memoryCreate(description, engine, 0);
  }

  void destroyMemory(long memory) {
    calls.memoryDestroy(memory);
  }

  long newStream() {
    return calls.streamCreate(engine, Abi.STREAM_DEFAULT);
  }

  void destroyStream(long stream) {
    calls.streamDestroy(stream);
  }
}
