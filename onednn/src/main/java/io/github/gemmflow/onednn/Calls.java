// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of oneDNN, under their C names, with its objects as longs. */
record Calls(
    MethodHandle version,
    MethodHandle getEffectiveCpuIsa,
    MethodHandle engineCreate,
    MethodHandle streamCreate,
    MethodHandle streamDestroy,
    MethodHandle memoryDescCreateWithStrides,
    MethodHandle memoryDescCreateWithTag,
    MethodHandle memoryDescClone,
    MethodHandle memoryDescDestroy,
    MethodHandle memoryDescGetSize,
    MethodHandle memoryCreate,
    MethodHandle memorySetDataHandle,
    MethodHandle memoryDestroy,
    MethodHandle postOpsCreate,
    MethodHandle postOpsAppendEltwise,
    MethodHandle postOpsDestroy,
    MethodHandle attrCreate,
    MethodHandle attrSetPostOps,
    MethodHandle attrSetScratchpadMode,
    MethodHandle attrSetFpmathMode,
    MethodHandle attrDestroy,
    MethodHandle matmulPrimitiveDescCreate,
    MethodHandle reorderPrimitiveDescCreate,
    MethodHandle primitiveDescQuery,
    MethodHandle primitiveDescQueryMd,
    MethodHandle primitiveDescDestroy,
    MethodHandle primitiveCreate,
    MethodHandle primitiveExecute,
    MethodHandle primitiveDestroy) {

  /** Binds all functions of a library. */
  static Calls bind(Library library) {
    Binder b = new Binder(library);
    return new Calls(
        b.function("dnnl_version", FunctionDescriptor.of(ADDRESS)),
        b.call("dnnl_get_effective_cpu_isa"),
        b.call("dnnl_engine_create", ADDRESS, JAVA_INT, JAVA_LONG),
        b.call("dnnl_stream_create", ADDRESS, JAVA_LONG, JAVA_INT),
        b.call("dnnl_stream_destroy", JAVA_LONG),
        b.call(
            "dnnl_memory_desc_create_with_strides", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS),
        b.call("dnnl_memory_desc_create_with_tag", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
        b.call("dnnl_memory_desc_clone", ADDRESS, JAVA_LONG),
        b.call("dnnl_memory_desc_destroy", JAVA_LONG),
        b.function("dnnl_memory_desc_get_size", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG)),
        b.call("dnnl_memory_create", ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        b.call("dnnl_memory_set_data_handle", JAVA_LONG, JAVA_LONG),
        b.call("dnnl_memory_destroy", JAVA_LONG),
        b.call("dnnl_post_ops_create", ADDRESS),
        b.call("dnnl_post_ops_append_eltwise", JAVA_LONG, JAVA_INT, JAVA_FLOAT, JAVA_FLOAT),
        b.call("dnnl_post_ops_destroy", JAVA_LONG),
        b.call("dnnl_primitive_attr_create", ADDRESS),
        b.call("dnnl_primitive_attr_set_post_ops", JAVA_LONG, JAVA_LONG),
        b.call("dnnl_primitive_attr_set_scratchpad_mode", JAVA_LONG, JAVA_INT),
        b.call("dnnl_primitive_attr_set_fpmath_mode", JAVA_LONG, JAVA_INT),
        b.call("dnnl_primitive_attr_destroy", JAVA_LONG),
        b.call(
            "dnnl_matmul_primitive_desc_create",
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG),
        b.call(
            "dnnl_reorder_primitive_desc_create",
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG),
        b.call("dnnl_primitive_desc_query", JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS),
        b.function(
            "dnnl_primitive_desc_query_md",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT)),
        b.call("dnnl_primitive_desc_destroy", JAVA_LONG),
        b.call("dnnl_primitive_create", ADDRESS, JAVA_LONG),
        // It takes four arguments; two more, which it never looks at, are memory that is not freed
        // before it returns, because the linker keeps alive what a native function is given.
        b.call("dnnl_primitive_execute", JAVA_LONG, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, ADDRESS),
        b.call("dnnl_primitive_destroy", JAVA_LONG));
  }

  private record Binder(Library library) {
    /** A function that returns a status, or another int. */
    MethodHandle call(String name, MemoryLayout... parameters) {
      return function(name, FunctionDescriptor.of(JAVA_INT, parameters));
    }

    @SuppressWarnings("restricted") // the native calls that this module is for
    MethodHandle function(String name, FunctionDescriptor type) {
      MemorySegment address =
          library
              .symbols()
              .find(name)
              .orElseThrow(
                  () ->
                      new DnnlException(
                          "%s is not oneDNN: it has no function %s"
                              .formatted(library.name(), name)));
      return Linker.nativeLinker().downcallHandle(address, type);
    }
  }
}
