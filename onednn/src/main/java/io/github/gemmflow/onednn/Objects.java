// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Makes and destroys oneDNN's objects, which are longs here; errors become exceptions. */
final class Objects {
  private final Calls calls;
  private final long engine;

  Objects(Calls calls) {
    this.calls = calls;
    this.engine =
        make("dnnl_engine_create", out -> (int) calls.engineCreate().invokeExact(out, Abi.CPU, 0L));
  }

  Calls calls() {
    return calls;
  }

  /** A call that makes an object and writes it to where it is told. */
  @FunctionalInterface
  private interface Maker {
    int make(MemorySegment out) throws Throwable;
  }

  private static long make(String what, Maker maker) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      check(what, maker.make(out));
      return out.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  static void check(String what, int status) {
    if (status != 0) {
      throw new DnnlException("%s: %s".formatted(what, Abi.status(status)));
    }
  }

  private static void destroy(MethodHandle destructor, long object) {
    try {
      check("destroying an object", (int) destructor.invokeExact(object));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /** Describes a matrix whose elements lie at these distances, counted in elements. */
  long describe(DType type, long rows, long columns, long rowStride, long columnStride) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sizes = arena.allocateFrom(JAVA_LONG, rows, columns);
      MemorySegment strides = arena.allocateFrom(JAVA_LONG, rowStride, columnStride);
      int number = Abi.type(type);
      return make(
          "dnnl_memory_desc_create_with_strides",
          out ->
              (int)
                  calls.memoryDescCreateWithStrides().invokeExact(out, 2, sizes, number, strides));
    }
  }

  /** Describes a matrix whose layout oneDNN is to choose. */
  long describeAny(DType type, long rows, long columns) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment sizes = arena.allocateFrom(JAVA_LONG, rows, columns);
      int number = Abi.type(type);
      return make(
          "dnnl_memory_desc_create_with_tag",
          out ->
              (int)
                  calls
                      .memoryDescCreateWithTag()
                      .invokeExact(out, 2, sizes, number, Abi.FORMAT_ANY));
    }
  }

  long cloneDescription(long description) {
    return make(
        "dnnl_memory_desc_clone",
        out -> (int) calls.memoryDescClone().invokeExact(out, description));
  }

  long bytes(long description) {
    try {
      return (long) calls.memoryDescGetSize().invokeExact(description);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  void destroyDescription(long description) {
    destroy(calls.memoryDescDestroy(), description);
  }

  /** Describes a product: of full precision, with scratch memory of the caller. */
  long describeMatmul(long a, long b, long bias, long c, Activation activation) {
    long attributes =
        make("dnnl_primitive_attr_create", out -> (int) calls.attrCreate().invokeExact(out));
    try {
      check(
          "dnnl_primitive_attr_set_scratchpad_mode",
          (int) calls.attrSetScratchpadMode().invokeExact(attributes, Abi.SCRATCHPAD_USER));
      // Whatever ONEDNN_DEFAULT_FPMATH_MODE says: F32 stays F32.
      check(
          "dnnl_primitive_attr_set_fpmath_mode",
          (int) calls.attrSetFpmathMode().invokeExact(attributes, Abi.FPMATH_STRICT));
      if (activation != Activation.NONE) {
        setActivation(attributes, activation);
      }
      return make(
          "dnnl_matmul_primitive_desc_create",
          out ->
              (int)
                  calls
                      .matmulPrimitiveDescCreate()
                      .invokeExact(out, engine, a, b, bias, c, attributes));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    } finally {
      destroy(calls.attrDestroy(), attributes);
    }
  }

  private void setActivation(long attributes, Activation activation) throws Throwable {
    long operations =
        make("dnnl_post_ops_create", out -> (int) calls.postOpsCreate().invokeExact(out));
    try {
      int algorithm = Abi.algorithm(activation);
      float alpha = Abi.alpha(activation);
      check(
          "dnnl_post_ops_append_eltwise",
          (int) calls.postOpsAppendEltwise().invokeExact(operations, algorithm, alpha, 0f));
      check(
          "dnnl_primitive_attr_set_post_ops",
          (int) calls.attrSetPostOps().invokeExact(attributes, operations));
    } finally {
      destroy(calls.postOpsDestroy(), operations);
    }
  }

  long describeReorder(long from, long to) {
    return make(
        "dnnl_reorder_primitive_desc_create",
        out ->
            (int)
                calls.reorderPrimitiveDescCreate().invokeExact(out, from, engine, to, engine, 0L));
  }

  /** A description that belongs to that of a primitive. */
  long query(long primitiveDescription, int what) {
    try {
      return (long) calls.primitiveDescQueryMd().invokeExact(primitiveDescription, what, 0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  /** oneDNN's name for how a primitive works. */
  @SuppressWarnings("restricted") // a C string, which ends by itself
  String implementation(long primitiveDescription) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      check(
          "dnnl_primitive_desc_query",
          (int)
              calls
                  .primitiveDescQuery()
                  .invokeExact(primitiveDescription, Abi.QUERY_IMPLEMENTATION, 0, out));
      return out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  void destroyPrimitiveDescription(long description) {
    destroy(calls.primitiveDescDestroy(), description);
  }

  long newPrimitive(long primitiveDescription) {
    return make(
        "dnnl_primitive_create",
        out -> (int) calls.primitiveCreate().invokeExact(out, primitiveDescription));
  }

  void destroyPrimitive(long primitive) {
    destroy(calls.primitiveDestroy(), primitive);
  }

  /** Memory that is to be pointed at something. */
  long newMemory(long description) {
    return make(
        "dnnl_memory_create",
        out -> (int) calls.memoryCreate().invokeExact(out, description, engine, 0L));
  }

  void destroyMemory(long memory) {
    destroy(calls.memoryDestroy(), memory);
  }

  long newStream() {
    return make(
        "dnnl_stream_create",
        out -> (int) calls.streamCreate().invokeExact(out, engine, Abi.STREAM_DEFAULT));
  }

  void destroyStream(long stream) {
    destroy(calls.streamDestroy(), stream);
  }
}
