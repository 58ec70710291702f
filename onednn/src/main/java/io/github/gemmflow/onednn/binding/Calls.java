// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/**
 * The functions of oneDNN that are used, one method each, after their C names. Its objects are
 * longs; a function that makes one returns it. A function that does not return {@code dnnl_success}
 * throws.
 */
final class Calls extends Binder {
  Calls(Library library) {
    super(library);
  }

  private final Function version = bind("dnnl_version", FunctionDescriptor.of(ADDRESS));

  MemorySegment version() {
    try {
      return (MemorySegment) version.handle().invokeExact();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function getEffectiveCpuIsa = bind("dnnl_get_effective_cpu_isa");

  int getEffectiveCpuIsa() {
    try {
      return (int) getEffectiveCpuIsa.handle().invokeExact();
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function engineCreate = bind("dnnl_engine_create", ADDRESS, JAVA_INT, JAVA_LONG);

  long engineCreate(int kind, long index) {
    return make(engineCreate, out -> (int) engineCreate.handle().invokeExact(out, kind, index));
  }

  private final Function streamCreate = bind("dnnl_stream_create", ADDRESS, JAVA_LONG, JAVA_INT);

  long streamCreate(long engine, int flags) {
    return make(streamCreate, out -> (int) streamCreate.handle().invokeExact(out, engine, flags));
  }

  private final Function streamDestroy = bind("dnnl_stream_destroy", JAVA_LONG);

  void streamDestroy(long stream) {
    try {
      check(streamDestroy, (int) streamDestroy.handle().invokeExact(stream));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDescCreateWithStrides =
      bind("dnnl_memory_desc_create_with_strides", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS);

  long memoryDescCreateWithStrides(
      int dimensions, MemorySegment sizes, int type, MemorySegment strides) {
    return make(
        memoryDescCreateWithStrides,
        out ->
            (int)
                memoryDescCreateWithStrides
                    .handle()
                    .invokeExact(out, dimensions, sizes, type, strides));
  }

  private final Function memoryDescCreateWithTag =
      bind("dnnl_memory_desc_create_with_tag", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);

  long memoryDescCreateWithTag(int dimensions, MemorySegment sizes, int type, int tag) {
    return make(
        memoryDescCreateWithTag,
        out ->
            (int) memoryDescCreateWithTag.handle().invokeExact(out, dimensions, sizes, type, tag));
  }

  private final Function memoryDescClone = bind("dnnl_memory_desc_clone", ADDRESS, JAVA_LONG);

  long memoryDescClone(long description) {
    return make(
        memoryDescClone, out -> (int) memoryDescClone.handle().invokeExact(out, description));
  }

  private final Function memoryDescDestroy = bind("dnnl_memory_desc_destroy", JAVA_LONG);

  void memoryDescDestroy(long description) {
    try {
      check(memoryDescDestroy, (int) memoryDescDestroy.handle().invokeExact(description));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDescGetSize =
      bind("dnnl_memory_desc_get_size", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

  long memoryDescGetSize(long description) {
    try {
      return (long) memoryDescGetSize.handle().invokeExact(description);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryCreate =
      bind("dnnl_memory_create", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  long memoryCreate(long description, long engine, long address) {
    return make(
        memoryCreate,
        out -> (int) memoryCreate.handle().invokeExact(out, description, engine, address));
  }

  private final Function memorySetDataHandle =
      bind("dnnl_memory_set_data_handle", JAVA_LONG, JAVA_LONG);

  void memorySetDataHandle(long memory, long address) {
    try {
      check(memorySetDataHandle, (int) memorySetDataHandle.handle().invokeExact(memory, address));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function memoryDestroy = bind("dnnl_memory_destroy", JAVA_LONG);

  void memoryDestroy(long memory) {
    try {
      check(memoryDestroy, (int) memoryDestroy.handle().invokeExact(memory));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function postOpsCreate = bind("dnnl_post_ops_create", ADDRESS);

  long postOpsCreate() {
    return make(postOpsCreate, out -> (int) postOpsCreate.handle().invokeExact(out));
  }

  private final Function postOpsAppendEltwise =
      bind("dnnl_post_ops_append_eltwise", JAVA_LONG, JAVA_INT, JAVA_FLOAT, JAVA_FLOAT);

  void postOpsAppendEltwise(long operations, int algorithm, float alpha, float beta) {
    try {
      check(
          postOpsAppendEltwise,
          (int) postOpsAppendEltwise.handle().invokeExact(operations, algorithm, alpha, beta));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function postOpsAppendBinary =
      bind("dnnl_post_ops_append_binary", JAVA_LONG, JAVA_INT, JAVA_LONG);

  void postOpsAppendBinary(long operations, int algorithm, long description) {
    try {
      check(
          postOpsAppendBinary,
          (int) postOpsAppendBinary.handle().invokeExact(operations, algorithm, description));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function postOpsAppendSum =
      bind("dnnl_post_ops_append_sum", JAVA_LONG, JAVA_FLOAT, JAVA_INT, JAVA_INT);

  void postOpsAppendSum(long operations, float scale, int zeroPoint, int type) {
    try {
      check(
          postOpsAppendSum,
          (int) postOpsAppendSum.handle().invokeExact(operations, scale, zeroPoint, type));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function postOpsDestroy = bind("dnnl_post_ops_destroy", JAVA_LONG);

  void postOpsDestroy(long operations) {
    try {
      check(postOpsDestroy, (int) postOpsDestroy.handle().invokeExact(operations));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function attrCreate = bind("dnnl_primitive_attr_create", ADDRESS);

  long attrCreate() {
    return make(attrCreate, out -> (int) attrCreate.handle().invokeExact(out));
  }

  private final Function attrSetPostOps =
      bind("dnnl_primitive_attr_set_post_ops", JAVA_LONG, JAVA_LONG);

  void attrSetPostOps(long attributes, long operations) {
    try {
      check(attrSetPostOps, (int) attrSetPostOps.handle().invokeExact(attributes, operations));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function attrSetScratchpadMode =
      bind("dnnl_primitive_attr_set_scratchpad_mode", JAVA_LONG, JAVA_INT);

  void attrSetScratchpadMode(long attributes, int mode) {
    try {
      check(
          attrSetScratchpadMode,
          (int) attrSetScratchpadMode.handle().invokeExact(attributes, mode));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function attrSetFpmathMode =
      bind("dnnl_primitive_attr_set_fpmath_mode_v2", JAVA_LONG, JAVA_INT, JAVA_INT);

  void attrSetFpmathMode(long attributes, int mode, int applyToInt) {
    try {
      check(
          attrSetFpmathMode,
          (int) attrSetFpmathMode.handle().invokeExact(attributes, mode, applyToInt));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function attrSetScalesMask =
      bind("dnnl_primitive_attr_set_scales_mask", JAVA_LONG, JAVA_INT, JAVA_INT);

  void attrSetScalesMask(long attributes, int argument, int mask) {
    try {
      check(
          attrSetScalesMask,
          (int) attrSetScalesMask.handle().invokeExact(attributes, argument, mask));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function attrDestroy = bind("dnnl_primitive_attr_destroy", JAVA_LONG);

  void attrDestroy(long attributes) {
    try {
      check(attrDestroy, (int) attrDestroy.handle().invokeExact(attributes));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function matmulPrimitiveDescCreate =
      bind(
          "dnnl_matmul_primitive_desc_create",
          ADDRESS,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG);

  long matmulPrimitiveDescCreate(long engine, long a, long b, long bias, long c, long attributes) {
    return make(
        matmulPrimitiveDescCreate,
        out ->
            (int)
                matmulPrimitiveDescCreate
                    .handle()
                    .invokeExact(out, engine, a, b, bias, c, attributes));
  }

  private final Function reorderPrimitiveDescCreate =
      bind(
          "dnnl_reorder_primitive_desc_create",
          ADDRESS,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG,
          JAVA_LONG);

  long reorderPrimitiveDescCreate(
      long from, long fromEngine, long to, long toEngine, long attributes) {
    return make(
        reorderPrimitiveDescCreate,
        out ->
            (int)
                reorderPrimitiveDescCreate
                    .handle()
                    .invokeExact(out, from, fromEngine, to, toEngine, attributes));
  }

  private final Function primitiveDescQuery =
      bind("dnnl_primitive_desc_query", JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS);

  void primitiveDescQuery(long description, int what, int index, MemorySegment result) {
    try {
      check(
          primitiveDescQuery,
          (int) primitiveDescQuery.handle().invokeExact(description, what, index, result));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function primitiveDescQueryMd =
      bind(
          "dnnl_primitive_desc_query_md",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));

  long primitiveDescQueryMd(long description, int what, int index) {
    try {
      return (long) primitiveDescQueryMd.handle().invokeExact(description, what, index);
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function primitiveDescDestroy = bind("dnnl_primitive_desc_destroy", JAVA_LONG);

  void primitiveDescDestroy(long description) {
    try {
      check(primitiveDescDestroy, (int) primitiveDescDestroy.handle().invokeExact(description));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function primitiveCreate = bind("dnnl_primitive_create", ADDRESS, JAVA_LONG);

  long primitiveCreate(long description) {
    return make(
        primitiveCreate, out -> (int) primitiveCreate.handle().invokeExact(out, description));
  }

  private final Function primitiveExecute =
      bind("dnnl_primitive_execute", JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS);

  /**
   * Takes four arguments in C.
   *
   * @param first memory that is not freed before this returns, as {@code second}: oneDNN never
   *     looks at them, but the linker keeps alive what a native function is given
   */
  void primitiveExecute(
      long primitive,
      long stream,
      int count,
      MemorySegment arguments,
      MemorySegment first,
      MemorySegment second) {
    try {
      check(
          primitiveExecute,
          (int)
              primitiveExecute
                  .handle()
                  .invokeExact(primitive, stream, count, arguments, first, second));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }

  private final Function primitiveDestroy = bind("dnnl_primitive_destroy", JAVA_LONG);

  void primitiveDestroy(long primitive) {
    try {
      check(primitiveDestroy, (int) primitiveDestroy.handle().invokeExact(primitive));
    } catch (Throwable e) {
      throw Unchecked.of(e);
    }
  }
}
